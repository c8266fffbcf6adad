package mutation

// inlineMutations are of inline activities, which run between the commits of a turn.
func inlineMutations() []Mutation {
	return []Mutation{
		{
			Name:  "an inline activity runs before its commit",
			Bug:   "An inline activity runs before its ActivityScheduled is committed.",
			File:  "internal/host/deciding/round.go",
			Edits: edit("\tcase len(d.Events) == 0:\n\t\tr.inline", "\tdefault:\n\t\tr.inline"),
		},
		{
			Name:  "an old cache runs an inline activity",
			Bug:   "A process runs an inline activity by its cache before a commit has shown that no other process has overtaken it.",
			File:  "internal/host/deciding/round.go",
			Edits: edit("\tcase len(d.Events) == 0:\n\t\tr.inline", "\tcase len(d.Events) == 0 || t.Running.Warm && !t.Running.Confirmed:\n\t\tr.inline"),
		},
		{
			Name:  "an open inline activity is believed",
			Bias:  "torn reads",
			Bug:   "A turn that comes back runs an inline activity again whose result a read does not show yet.",
			File:  "internal/host/deciding/inline.go",
			Edits: edit("if !t.Running.Confirmed {", "if !t.Running.Confirmed && t.Running.Creating {"),
		},
		{
			Name:  "results of inline activities share a commit unasked",
			Bug:   "The result of an inline activity waits for the next ones before it is committed, though only one of the activities allows that.",
			File:  "internal/host/deciding/inline.go",
			Edits: edit("r.inline.calls < min(r.inline.most, batchOf(&d.Inline[0]))", "r.inline.calls < max(r.inline.most, batchOf(&d.Inline[0]))"),
		},
		{
			Name:  "an inline retry has a key of its own",
			Bug:   "An inline activity whose retry waits over a timer runs again under another idempotency key.",
			File:  "internal/host/orchestrator/inline.go",
			Edits: edit("first := cmp.Or(retry.FirstEventID, call.EventID)", "first := cmp.Or(call.EventID, retry.FirstEventID)"),
		},
		{
			Name:  "an inline retry begins after the end of the invocation",
			Bug:   "A process that is paused while it waits for an inline retry begins it, though another may have its messages.",
			Test:  "internal/host/orchestrator TestA14NoInlineRetryBeginsAfterTheEndOfTheInvocation",
			File:  "internal/host/orchestrator/inline.go",
			Edits: edit("clock.Sleep(ctx, a.desk.Clock, delay) == nil && clock.HasTime(ctx, a.desk.Clock, need)", "clock.Sleep(ctx, a.desk.Clock, delay) == nil"),
		},
		{
			Name:  "an inline retry looks at nothing",
			Bias:  "twins",
			Bug:   "A process retries an inline activity whose result a duplicate invocation has recorded.",
			File:  "internal/host/orchestrator/inline.go",
			Edits: edit("t.Stored()+1); err != nil {", "t.Stored()+1); err != nil && ctx.Err() != nil {"),
		},
	}
}
