package mutation

// reportMutations return something different to a program, or to its activities and
// children, than was recorded.
func reportMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a rejected event ends the wait",
			Bug:   "A wait that has rejected an event takes no other.",
			File:  "engine/external_event.go",
			Edits: edit("		if rejected {\n			return nil\n		}\n		n.waits = n.waits[1:]", "		if rejected {\n			n.waits = n.waits[1:]\n			return nil\n		}\n		n.waits = n.waits[1:]"),
		},
		{
			Name:  "a rejected event is delivered",
			Bug:   "A wait gets an event whose rejection it has recorded.",
			File:  "engine/rejected_event.go",
			Edits: edit("	x.cursor.scheduled = r.EventID\n	return true, nil", "	x.cursor.scheduled = r.EventID\n	return false, nil"),
		},
		{
			Name:  "a rejection is not recorded",
			Bug:   "An event that a wait rejects is lost, and the history does not say so.",
			File:  "engine/rejected_event.go",
			Edits: edit("	r := x.append(&history.Event{Kind: history.ExternalRejected", "	if reasonOf(problem) != \"\" {\n		return true, nil\n	}\n	r := x.append(&history.Event{Kind: history.ExternalRejected"),
		},
		{
			Name:  "a replay ignores recorded rejections",
			Bug:   "If a type has changed, a rejected event is delivered on replay.",
			File:  "engine/rejected_event.go",
			Edits: edit("		return x.claimRejection(e), nil", "		return x.claimRejection(e) && accepts != nil, nil"),
		},
		{
			Name:  "the code's reason for a stop is lost",
			Bug:   "An operation that the code stops does not get the reason.",
			File:  "engine/reasons.go",
			Edits: edit("	x.run.reasons[f.id] = reason\n", "	x.run.reasons[f.id+1] = reason\n"),
		},
		{
			Name:  "the reason for a stop is lost on redelivery",
			Bug:   "An operation that a redispatched commit stops does not get the reason.",
			File:  "internal/host/deciding/commit.go",
			Edits: edit("Cancelled: all.Cancelled, Reasons: d.Reasons}}", "Cancelled: all.Cancelled}}"),
		},
		{
			Name:  "the instance's cancel reason replaces the code's",
			Bug:   "An operation that the code cancels for its own reason gets the reason of the instance's cancel, or none.",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("own != \"\" && !terminated {", "own != \"\" && !terminated && reason != \"\" {"),
		},
		{
			Name:  "an attempt does not get the reason for its stop",
			Bug:   "The cause of an attempt's cancelled context does not contain the reason.",
			File:  "internal/host/attempt/pulse.go",
			Edits: edit("p.of.cancel(&activities.StoppedError{Reason: state.StopReason})", "p.of.cancel(&activities.StoppedError{})"),
		},
		{
			Name:  "a child does not record the reason of its cancel",
			Bug:   "A child is cancelled, and its history does not have the reason.",
			File:  "internal/host/deciding/arrival.go",
			Edits: edit("Kind: history.OrchestrationCancelRequested, Reason: i.Reason,", "Kind: history.OrchestrationCancelRequested,"),
		},
		{
			Name:  "a dropped continue-as-new ends the instance",
			Bug:   "Code that drops the result of ContinueAsNew ends its instance silently.",
			File:  "engine/ending.go",
			Edits: edit("case c.err == nil && x.continues && x.cursor.live:", "case c.err == nil && x.continues && x.cursor.live && x.root == nil:"),
		},
	}
}
