package mutation

// formatMutations are bugs of data that does not affect how an instance continues: the
// age of an item, the actor, the headers of a start, the labels of operations.
func formatMutations() []Mutation {
	return []Mutation{
		{
			Name:  "the age of a work item is not checked",
			Bug:   "An event that was sent more than 14 days ago is applied.",
			File:  "internal/host/inbox/admit.go",
			Edits: edit("max(m.Item.Age(now), 0))\n\tif m.Item.Expired(now) {", "max(m.Item.Age(now), 0))\n\tif m.Item.Expired(now) && m.Item.Hops < 0 {"),
		},
		{
			Name:  "a hop resets the age of a work item",
			Bug:   "A requeued item gives the time of its last hop as the time at which it was sent.",
			File:  "internal/host/inbox/settler.go",
			Edits: edit("	item.Hops++\n	h := &hop", "	item.Hops++\n	item.SentMS = d.Clock.Now().UnixMilli()\n	h := &hop"),
		},
		{
			Name:  "an attempt gets no headers",
			Bug:   "Activities do not get the headers of the start.",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("Retry: e.Retry, Headers: c.startHeaders(out.Propagate, e), Origin:", "Retry: e.Retry, Origin:"),
		},
		{
			Name:  "a child gets no headers of its context",
			Bug:   "A child gets the headers of its parent's start instead of those of the context with which it was started.",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("OnConflict: conflict, Headers: c.startHeaders(out.Propagate, e),", "OnConflict: conflict, Headers: c.Start.Headers,"),
		},
		{
			Name:  "continue-as-new gets no headers of its context",
			Bug:   "The next execution gets the headers of the start instead of those of the context that continued it.",
			File:  "engine/continue_as_new.go",
			Edits: edit("start.Headers = header.Merge(was.Start.Headers, end.headers)", "start.Headers = header.Merge(was.Start.Headers, nil)"),
		},
		{
			Name:  "an inline attempt forgets headers",
			Bug:   "An inline activity gets only the headers of the start.",
			File:  "internal/host/orchestrator/inline.go",
			Edits: edit("info.Headers = header.Merge(s.Headers, call.Headers)", "info.Headers = header.Merge(s.Headers, nil)"),
		},
		{
			Name:  "an attempt after a heartbeat timeout forgets headers",
			Bug:   "The attempt after a heartbeat timeout gets only the headers of the start.",
			File:  "internal/host/deciding/next_attempt.go",
			Edits: edit("Headers: header.Merge(a.Running.Started().Start.Headers, scheduled.Headers),", "Headers: header.Merge(a.Running.Started().Start.Headers, nil),"),
		},
		{
			Name:  "a branch forgets outer labels",
			Bug:   "Operations of a branch have the branch's own labels, but not those of the context that started it.",
			File:  "engine/context.go",
			Edits: edit("scope: c.scope.child(false), headers: c.headers, label: c.label}", "scope: c.scope.child(false), headers: c.headers}"),
		},
		{
			Name:  "a scope forgets outer labels",
			Bug:   "Operations in a cancellation scope have no label of the context that the scope was made from.",
			File:  "engine/scope_context.go",
			Edits: edit("headers: c.headers, label: c.label}", "headers: c.headers}"),
		},
		{
			Name:  "labels are compared",
			Bug:   "A replay compares labels, so a changed label makes running instances stuck.",
			Test:  "engine TestReplayDoesNotCompareLabels",
			File:  "engine/claim.go",
			Edits: edit("case e.Name != want.Name:", "case e.Name != want.Name, e.Label != want.Label:"),
		},
		{
			Name:  "a completion names another attempt",
			Bug:   "A worker reports each result as that of the first attempt.",
			File:  "internal/host/worker/answer.go",
			Edits: edit("wire.ActivityCompleted, item.Attempt)", "wire.ActivityCompleted, 1)"),
		},
	}
}
