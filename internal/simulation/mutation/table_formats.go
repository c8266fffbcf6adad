package mutation

// formatMutations are of what is said beside what makes an instance go on: how
// old an item is, who asked, which headers came with a start, which labels the code gave.
func formatMutations() []Mutation {
	return []Mutation{
		{
			Name:  "the age of an item is not looked at",
			Bug:   "An event that was sent more than fourteen days ago is applied.",
			File:  "internal/host/inbox/admit.go",
			Edits: edit("max(m.Item.Age(now), 0))\n\tif m.Item.Expired(now) {", "max(m.Item.Age(now), 0))\n\tif m.Item.Expired(now) && m.Item.Hops < 0 {"),
		},
		{
			Name:  "an item is young again behind a hop",
			Bug:   "What goes round the delay queue says that it was sent first when it was sent round.",
			File:  "internal/host/inbox/desk.go",
			Edits: edit("	item.Hops++\n	if err := d.SendLater", "	item.Hops++\n	item.SentMS = d.Clock.Now().UnixMilli()\n	if err := d.SendLater"),
		},
		{
			Name:  "an attempt gets no headers",
			Bug:   "The headers of a start do not go to its activities.",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("Retry: e.Retry, Headers: out.startHeaders(c, e), Origin:", "Retry: e.Retry, Origin:"),
		},
		{
			Name:  "headers forgotten at a child",
			Bug:   "A child gets the headers of its parent's start, and not those of the context that it was started with.",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("OnConflict: conflict, Headers: out.startHeaders(c, e),", "OnConflict: conflict, Headers: c.Start.Headers,"),
		},
		{
			Name:  "headers forgotten at continue-as-new",
			Bug:   "The next execution gets the headers of the start, and not those of the context that it was continued with.",
			File:  "engine/continue_as_new.go",
			Edits: edit("start.Headers = header.Merge(was.Start.Headers, end.headers)", "start.Headers = header.Merge(was.Start.Headers, nil)"),
		},
		{
			Name:  "an inline attempt forgets headers",
			Bug:   "An inline activity gets the headers of the start alone.",
			File:  "internal/host/orchestrator/inline.go",
			Edits: edit("info.Headers = header.Merge(s.Headers, call.Headers)", "info.Headers = header.Merge(s.Headers, nil)"),
		},
		{
			Name:  "an attempt behind a silent one forgets headers",
			Bug:   "The attempt that follows one which gave no heartbeat gets the headers of the start alone.",
			File:  "internal/host/deciding/pending.go",
			Edits: edit("Headers: header.Merge(t.Running.Started().Start.Headers, scheduled.Headers),", "Headers: header.Merge(t.Running.Started().Start.Headers, nil),"),
		},
		{
			Name:  "a branch forgets the labels around it",
			Bug:   "What a branch starts has its own labels, and not those of the context that the branch was started with.",
			File:  "engine/context.go",
			Edits: edit("scope: c.scope.child(false), headers: c.headers, label: c.label}", "scope: c.scope.child(false), headers: c.headers}"),
		},
		{
			Name:  "a scope forgets the labels around it",
			Bug:   "What is started in a scope of cancellation has no label of the context that the scope was made of.",
			File:  "engine/scope_context.go",
			Edits: edit("headers: c.headers, label: c.label}", "headers: c.headers}"),
		},
		{
			Name:  "labels are compared",
			Bug:   "A replay compares labels, so that another one parks the instances that run.",
			Test:  "engine TestLabelsAreNoPartOfWhatAReplayCompares",
			File:  "engine/claim.go",
			Edits: edit("case e.Name != want.Name:", "case e.Name != want.Name, e.Label != want.Label:"),
		},
		{
			Name:  "a completion names another attempt",
			Bug:   "A worker says of a result that the first attempt made it.",
			File:  "internal/host/worker/answer.go",
			Edits: edit("wire.ActivityCompleted, item.Attempt)", "wire.ActivityCompleted, 1)"),
		},
	}
}
