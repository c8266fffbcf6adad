package mutation

// toldMutations tell a program, or those that work for it, something else than was said.
func toldMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a rejected event ends the wait",
			Bug:   "A wait that has rejected an event takes no other.",
			File:  "engine/external_event.go",
			Edits: edit("		if rejected {\n			return nil\n		}\n		n.waits = n.waits[1:]", "		if rejected {\n			n.waits = n.waits[1:]\n			return nil\n		}\n		n.waits = n.waits[1:]"),
		},
		{
			Name:  "a rejected event is delivered all the same",
			Bug:   "A wait gets an event whose rejection it has recorded.",
			File:  "engine/rejected_event.go",
			Edits: edit("	x.cursor.scheduled = r.EventID\n	return true, nil", "	x.cursor.scheduled = r.EventID\n	return false, nil"),
		},
		{
			Name:  "a rejection is not recorded",
			Bug:   "An event that a wait rejects is gone, and history does not say so.",
			File:  "engine/rejected_event.go",
			Edits: edit("	r := x.append(&history.Event{Kind: history.ExternalRejected", "	if reasonOf(problem) != \"\" {\n		return true, nil\n	}\n	r := x.append(&history.Event{Kind: history.ExternalRejected"),
		},
		{
			Name:  "a replay asks again what a wait rejects",
			Bug:   "Where a type has changed, an event that was rejected is delivered on replay.",
			File:  "engine/rejected_event.go",
			Edits: edit("		return x.claimRejection(e), nil", "		return x.claimRejection(e) && accepts != nil, nil"),
		},
		{
			Name:  "a reason is lost where it is given",
			Bug:   "Who is stopped by the code is not told why.",
			File:  "engine/reasons.go",
			Edits: edit("	x.run.reasons[f.id] = reason\n", "	x.run.reasons[f.id+1] = reason\n"),
		},
		{
			Name:  "a reason is not kept beside the turn",
			Bug:   "Who is stopped by a commit that is dispatched again is not told why.",
			File:  "internal/host/deciding/commit.go",
			Edits: edit("Cancelled: all.Cancelled, Reasons: d.Reasons}}", "Cancelled: all.Cancelled}}"),
		},
		{
			Name:  "the reason of the instance is told to all",
			Bug:   "What the code has cancelled for a reason of its own is told that of the instance's cancel, or none.",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("own != \"\" && !terminated {", "own != \"\" && !terminated && reason != \"\" {"),
		},
		{
			Name:  "an attempt is not told why it is to stop",
			Bug:   "The cause for which the context of an attempt has ended does not have the reason.",
			File:  "internal/host/attempt/pulse.go",
			Edits: edit("p.of.cancel(&activities.StoppedError{Reason: state.StopReason})", "p.of.cancel(&activities.StoppedError{})"),
		},
		{
			Name:  "the reason of a cancel is lost on the way",
			Bug:   "A child is cancelled, and its history does not say why.",
			File:  "internal/host/deciding/arrival.go",
			Edits: edit("Kind: history.OrchestrationCancelRequested, Reason: i.Reason,", "Kind: history.OrchestrationCancelRequested,"),
		},
		{
			Name:  "a continue-as-new that is dropped is an end",
			Bug:   "Code that drops what ContinueAsNew gives ends its instance without a word.",
			File:  "engine/ending.go",
			Edits: edit("case c.err == nil && x.continues && x.cursor.live:", "case c.err == nil && x.continues && x.cursor.live && x.root == nil:"),
		},
	}
}
