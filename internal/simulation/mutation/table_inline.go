package mutation

// inlineMutations are bugs of inline activities, which run between the commits of a
// turn.
func inlineMutations() []Mutation {
	return []Mutation{
		{
			Name:  "an inline activity runs before its commit",
			Bug:   "An inline activity runs before its ActivityScheduled is committed.",
			File:  "internal/host/deciding/round.go",
			Edits: edit("case inline && d.hasRoom():", "case inline:"),
		},
		{
			Name:  "a stale cache runs an inline activity",
			Bug:   "A process runs an inline activity from its cache before a commit has shown that no other process has overtaken it.",
			File:  "internal/host/deciding/round.go",
			Edits: edit("case inline && d.hasRoom():", "case inline && (d.hasRoom() || k.Running.Warm && !k.Running.Confirmed()):"),
		},
		{
			Name:  "a redelivered turn runs an inline activity on a stale read",
			Bias:  "torn reads",
			Bug:   "A redelivered turn runs an inline activity again because a read does not show its result yet.",
			File:  "internal/host/deciding/inline.go",
			Edits: edit("	if !k.Running.Confirmed() {", "	if !k.Running.Confirmed() && k.Running.Creating() {"),
		},
		{
			Name:  "inline results share a commit without permission",
			Bug:   "The result of an inline activity waits for the next results before its commit, though only one of the activities allows that.",
			File:  "internal/host/deciding/draft.go",
			Edits: edit("if batchOf(c) <= len(d.calls) {", "if max(batchOf(c), batchOf(&d.Inline[0])) <= len(d.calls) {"),
		},
		{
			Name:  "an inline retry has a new key",
			Bug:   "An inline activity whose retry waits on a timer runs again under another idempotency key.",
			File:  "internal/host/orchestrator/inline.go",
			Edits: edit("first := cmp.Or(retry.FirstEventID, call.EventID)", "first := cmp.Or(call.EventID, retry.FirstEventID)"),
		},
		{
			Name:  "an inline retry starts after its invocation has ended",
			Bug:   "A process that is paused while it waits for an inline retry starts the retry, though another process may have its messages.",
			Test:  "internal/host/orchestrator TestA14NoInlineRetryStartsAfterTheEndOfTheInvocation",
			File:  "internal/host/orchestrator/inline.go",
			Edits: edit("clock.Sleep(ctx, a.settler.Clock, delay) == nil && clock.HasTime(ctx, a.settler.Clock, need)", "clock.Sleep(ctx, a.settler.Clock, delay) == nil"),
		},
		{
			Name:  "an inline retry ignores a recorded result",
			Bias:  "duplicates",
			Bug:   "A process retries an inline activity whose result a duplicate invocation has recorded.",
			File:  "internal/host/orchestrator/inline.go",
			Edits: edit("t.Stored()+1); err != nil {", "t.Stored()+1); err != nil && ctx.Err() != nil {"),
		},
	}
}
