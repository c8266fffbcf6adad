package mutation

// againMutations are of instances that have ended and begin again, and of what becomes of a
// start whose id is taken.
func againMutations() []Mutation {
	return []Mutation{
		{
			Name:  "an instance begins again beside what stands ahead of the start",
			Bug:   "A start begins the next run in the turn of messages that are for the run before, which come back if that turn fails, and count for the next run too.",
			Bias:  "purges",
			File:  "internal/host/deciding/begin_again.go",
			Edits: edit("if t.Group.All[0] != m {", "if t.Group.All[0] != m && t.Running.Creating {"),
		},
		{
			Name:  "what stands behind a start that found the instance running is taken with it",
			Bug:   "What stands behind a start that may begin the instance again ends the run, and its process dies; the start comes back, begins the next run, and what stood behind it counts there again.",
			File:  "internal/host/deciding/take.go",
			Edits: edit("return beginsAgain(m) && !t.Running.Creating && ", "return beginsAgain(m) && t.Running.Creating && "),
		},
		{
			Name:  "what must wait for an acknowledgement is taken without it",
			Bug:   "What stands ahead of a start ends the run, the start begins the next one in the same invocation, and its process dies: all come back, and what stood ahead counts there again.",
			Bias:  "purges",
			File:  "internal/host/orchestrator/group.go",
			Edits: edit("o.desk.Acknowledge(ctx, g.All)", "o.desk.Acknowledge(ctx, nil)"),
		},
		{
			Name:  "what a twin has taken ahead of a start counts again",
			Bug:   "Two processes have one batch; one of them takes it and begins the next run, and the other one has that run take what stood ahead of the start.",
			Bias:  "twins+purges",
			Rare:  true,
			File:  "internal/host/deciding/decide.go",
			Edits: edit("		(*Turn).overtaken,\n", ""),
		},
		{
			Name:  "a start is taken ahead of one that may begin the instance again",
			Bug:   "A start that brings events is for the run that ends ahead of the start in front of it, and comes back with that for the next run.",
			Bias:  "purges",
			File:  "internal/host/deciding/group.go",
			Edits: edit("if i := slices.IndexFunc(messages, beginsAgain); i >= 0 {", "if i := slices.IndexFunc(messages, beginsAgain); i >= 0 && len(messages) > 100 {"),
		},
		{
			Name:  "what stands behind a start that goes round is taken",
			Bug:   "A start that may begin the instance again goes round, what stands behind it ends the run, and its process dies: both come back, and what stood behind counts for two runs.",
			Bias:  "dead letters",
			Rare:  true,
			File:  "internal/host/inbox/admit.go",
			Edits: edit("m.State == Settled && m.Item.Kind == wire.StartOrchestration && m", "m.State == Settled && m.Item.Kind == wire.TimerFired && m"),
		},
		{
			Name:  "an instance begins again by a start that the run before has used",
			Bug:   "A start has raised its events for the instance that ran, which they ended, and its process died: it comes back and begins the next run, with the events.",
			File:  "internal/host/deciding/begin_again.go",
			Edits: edit("if x != nil && t.used(m) {", "if x != nil && t.Running.Creating && t.used(m) {"),
		},
		{
			Name:  "an instance that begins again counts its marks anew",
			Rare:  true,
			Bug:   "The stamp of an instance that begins again is 0, so that a wake for a mark of the run before finds the one that it names.",
			Bias:  "purges",
			File:  "internal/host/projection/project.go",
			Edits: edit("s.Record.StartsBefore(), s.Record.Stamp\n", "s.Record.StartsBefore(), 0\n"),
		},
		{
			Name:  "an instance that begins again has no earlier histories",
			Rare:  true,
			Bug:   "The record of an instance that begins again names the new execution as its first, so that the histories before it are nobody's.",
			Bias:  "purges",
			File:  "internal/host/projection/project.go",
			Edits: edit("r.Stamp = s.Record.FirstExecution, ", "r.Stamp = s.Execution, "),
		},
		{
			Name:      "an instance that begins again keeps search attributes",
			Otherwise: "internal/host/deciding TestO09AnInstanceThatHasEndedBeginsItsNextExecution",
			Rare:      true,
			Bug:       "The search attributes that only the run before has set are those of the next one too.",
			Bias:      "purges",
			File:      "internal/host/projection/project.go",
			Edits:     edit("removed = unset(s.Record.SearchAttributes, r.SearchAttributes)", "removed = unset(r.SearchAttributes, r.SearchAttributes)"),
		},
		{
			Name:  "a start begins an instance again that a twin has acknowledged",
			Bug:   "A start finds the instance running and is acknowledged; its twin, which comes when that has ended, begins the next run and dies before its dispatch.",
			Bias:  "twins",
			File:  "internal/host/orchestrator/load.go",
			Edits: edit("if next.By != nil {", "if next.By != nil && next.Again < 0 {"),
			Rare:  true,
		},
		{
			Name:  "the twin of a start that begins again sends nothing",
			Bug:   "A start goes on with a run that was cut short and ends it, in a process that dies; its twin begins the next run, and nobody is told of that end.",
			Bias:  "twins+purges",
			File:  "internal/host/deciding/again.go",
			Edits: edit("case beginsAgain(m) && x.Ended():", "case beginsAgain(m) && x.Ended() && t.Running.Creating:"),
			Rare:  true,
		},
		{
			Name:  "a start that uses what runs begins what has ended",
			Bug:   "A start that is to use an instance which runs begins one again that has ended.",
			Bias:  "purges",
			File:  "internal/wire/conflict.go",
			Edits: edit("return c == ConflictBeginAgain || c == ConflictUseOrBeginAgain", "return c != ConflictRefuse"),
		},
		{
			Name:  "a start that begins again is refused",
			Bug:   "A start that is to begin again what has ended finds it there, and is done.",
			Bias:  "purges",
			File:  "internal/wire/conflict.go",
			Edits: edit("return c == ConflictBeginAgain || c == ConflictUseOrBeginAgain", "return c == ConflictUseOrBeginAgain"),
		},
		{
			Name:  "events that a start brings to what runs are refused",
			Bug:   "A start that is to use an instance which runs leaves its events to nobody.",
			File:  "internal/wire/conflict.go",
			Edits: edit("return c == ConflictUseExisting || c == ConflictUseOrBeginAgain", "return c == ConflictUseOrBeginAgain"),
		},
	}
}
