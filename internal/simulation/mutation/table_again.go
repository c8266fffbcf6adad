package mutation

// againMutations are bugs of restarts of ended instances, and of starts whose id is in
// use.
func againMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a restart shares a turn with messages before it",
			Bug:   "A start starts the next run in one turn with messages for the previous run. If that turn fails, those messages are redelivered and count for the next run too.",
			Bias:  "purges",
			File:  "internal/host/deciding/restart.go",
			Edits: edit("if s.Group.All[0] != m {", "if s.Group.All[0] != m && s.Running.Creating() {"),
		},
		{
			Name:  "messages behind a start of a running instance share its turn",
			Bug:   "Messages behind a start that may restart the instance end the run, and the process dies. The redelivered start starts the next run, and the messages behind it count again.",
			File:  "internal/host/deciding/take.go",
			Edits: edit("return restarts(m) && !s.Running.Creating() && ", "return restarts(m) && s.Running.Creating() && "),
		},
		{
			Name:  "a message does not wait for the acknowledgement of earlier ones",
			Bug:   "Messages before a start end the run, the start starts the next one in the same invocation, and the process dies. All are redelivered, and those before the start count again.",
			Bias:  "purges",
			File:  "internal/host/orchestrator/group.go",
			Edits: edit("o.settler.Acknowledge(ctx, g.All)", "o.settler.Acknowledge(ctx, nil)"),
		},
		{
			Name:  "a message that a duplicate invocation has processed before a start counts again",
			Bug:   "Two processes have one batch. One processes it and starts the next run; in the other, that run processes the messages before the start.",
			Bias:  "duplicates+purges",
			Rare:  true,
			File:  "internal/host/deciding/decide.go",
			Edits: edit("		starting{t.Known}.overtaken,\n", ""),
		},
		{
			Name:  "a start overtakes one that may restart the instance",
			Bug:   "A start with events is for the run that ends before the start in front of it, and is redelivered together with that start for the next run.",
			Bias:  "purges",
			File:  "internal/host/deciding/group.go",
			Edits: edit("if i := slices.IndexFunc(messages, restarts); i >= 0 {", "if i := slices.IndexFunc(messages, restarts); i >= 0 && len(messages) > 100 {"),
		},
		{
			Name:  "messages behind a requeued start are processed",
			Bug:   "A start that may restart the instance is requeued, messages behind it end the run, and the process dies. All are redelivered, and the messages behind the start count for two runs.",
			Bias:  "dead letters",
			Rare:  true,
			File:  "internal/host/inbox/admit.go",
			Edits: edit("m.State == Settled && m.Item.Kind == wire.StartOrchestration && m", "m.State == Settled && m.Item.Kind == wire.TimerFired && m"),
		},
		{
			Name:  "a start whose events the previous run recorded restarts the instance",
			Bug:   "A start has raised its events for the running instance, which they ended, and the process died. The redelivered start starts the next run, with the same events.",
			File:  "internal/host/deciding/restart.go",
			Edits: edit("if x != nil && s.used(m) {", "if x != nil && s.Running.Creating() && s.used(m) {"),
		},
		{
			Name:  "a restart resets the problem number",
			Rare:  true,
			Bug:   "The problem number of an instance that restarts is 0, so a wake for a problem of the previous run finds the number that it names.",
			Bias:  "purges",
			File:  "internal/host/projection/project.go",
			Edits: edit("s.Record.StartsBefore(), s.Record.Stamp\n", "s.Record.StartsBefore(), 0\n"),
		},
		{
			Name:  "a restart forgets earlier histories",
			Rare:  true,
			Bug:   "The record of an instance that restarts names the new execution as its first, so earlier histories belong to no run.",
			Bias:  "purges",
			File:  "internal/host/projection/project.go",
			Edits: edit("r.Stamp = s.Record.FirstExecution, ", "r.Stamp = s.Execution, "),
		},
		{
			Name:      "a restart keeps search attributes",
			Otherwise: "internal/host/deciding TestO09AnInstanceThatHasEndedStartsItsNextExecution",
			Rare:      true,
			Bug:       "Search attributes that only the previous run has set remain in the next one.",
			Bias:      "purges",
			File:      "internal/host/projection/project.go",
			Edits:     edit("removed = unset(s.Record.SearchAttributes, r.SearchAttributes)", "removed = unset(r.SearchAttributes, r.SearchAttributes)"),
		},
		{
			Name:  "a start that a duplicate invocation has acknowledged restarts the instance",
			Bug:   "A start finds the instance running and is acknowledged. Its duplicate invocation, after the instance has ended, starts the next run and dies before its dispatch.",
			Bias:  "duplicates",
			File:  "internal/host/orchestrator/load.go",
			Edits: edit("if next.By != nil {", "if next.By != nil && next.Again < 0 {"),
			Rare:  true,
		},
		{
			Name:  "a duplicate invocation with a restart sends nothing",
			Bug:   "A start continues an interrupted run and ends it, in a process that dies. Its duplicate invocation starts the next run, and the end is never reported.",
			Bias:  "duplicates+purges",
			File:  "internal/host/deciding/again.go",
			Edits: edit("case restarts(m) && x.Ended():", "case restarts(m) && x.Ended() && k.Running.Creating():"),
			Rare:  true,
		},
		{
			Name:  "a start that uses a running instance restarts an ended one",
			Bug:   "A start with the policy to use a running instance restarts an ended one.",
			Bias:  "purges",
			File:  "internal/wire/conflict.go",
			Edits: edit("return c == ConflictRestart || c == ConflictUseOrRestart", "return c != ConflictRefuse"),
		},
		{
			Name:  "a start with the restart policy is refused",
			Bug:   "A start with the restart policy finds the ended instance and does nothing.",
			Bias:  "purges",
			File:  "internal/wire/conflict.go",
			Edits: edit("return c == ConflictRestart || c == ConflictUseOrRestart", "return c == ConflictUseOrRestart"),
		},
		{
			Name:  "the events of a start for a running instance are refused",
			Bug:   "A start with the policy to use a running instance drops its events.",
			File:  "internal/wire/conflict.go",
			Edits: edit("return c == ConflictUseExisting || c == ConflictUseOrRestart", "return c == ConflictUseOrRestart"),
		},
	}
}
