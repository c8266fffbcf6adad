package mutation

// clientMutations are bugs in rules that no run of the simulation uses, most of them in the client
// and the command line. Each names the test that fails.
func clientMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a restart forgets the search attributes of the start",
			Bug:   "A search by the attributes of the first start does not find the restarted instance.",
			Test:  "client TestARestartUsesTheInputOfTheLastStart",
			File:  "client/restart.go",
			Edits: edit("start.Headers, start.SearchAttributes = first.Headers, first.SearchAttributes", "start.Headers, _ = first.Headers, first.SearchAttributes"),
		},
		{
			Name:  "a repeated reset ends the new execution",
			Bug:   "The terminate of a reset that comes again ends the execution which the reset has begun.",
			Test:  "client TestO10AResetEndsTheExecutionThatItContinuesFrom",
			File:  "client/redrive.go",
			Edits: edit("Instance: item.Instance, ExecutionID: d.ExecutionID, ID: item.ID, Reason: \"reset\"", "Instance: item.Instance, ID: item.ID, Reason: \"reset\""),
		},
		{
			Name:  "a token from before a redrive is refused",
			Bug:   "The client does not check whether a redrive has copied the activity of a token, so a link in a mail no longer works.",
			Test:  "client TestO10ATokenFromBeforeARedriveCompletesTheCopiedActivity",
			File:  "client/pending.go",
			Edits: edit("return k.EventID == t.EventID && ", "return k.EventID < 0 && "),
		},
		{
			Name:  "a heartbeat by a token from before a redrive is late",
			Bug:   "Work that continues over a redrive, and whose result counts, can no longer send heartbeats.",
			Test:  "client TestO10ATokenFromBeforeARedriveCompletesTheCopiedActivity",
			File:  "internal/host/deciding/arrival.go",
			Edits: edit("a.Event = history.Event{Kind: history.ActivityCompleted, SourceEventID: i.SourceEventID}", "a.Event = history.Event{Kind: history.ActivityFailed, SourceEventID: i.SourceEventID}"),
		},
		{
			Name:  "a client with the code sends a redrive without a replay",
			Bug:   "A redrive that the code contradicts is sent and becomes a dead letter, and its caller gets no error.",
			Test:  "client TestO10AClientThatHasTheCodeReplaysItBeforeItSends",
			File:  "client/redrive.go",
			Edits: edit("if c.cfg.App == nil || len(prefix) == 0 {", "if c.cfg.App == nil || len(prefix) >= 0 {"),
		},
		{
			Name:  "a redrive is sent though its history's key is gone",
			Bug:   "Nobody says at the call that the history cannot be opened any more.",
			Test:  "client TestO10ARedriveNeedsTheKeyOfItsHistory",
			File:  "client/redrive.go",
			Edits: edit("if _, err := c.cfg.Codecs.OpenEvents(turns[i].Instance, turns[i].ExecutionID, turns[i].Events); err != nil {", "if _, err := c.cfg.Codecs.OpenEvents(turns[i].Instance, turns[i].ExecutionID, turns[i].Events); err != nil && i < 0 {"),
		},
		{
			Name:  "a redrive of a running instance is sent",
			Bug:   "A redrive that will be refused is sent for a running instance, and its caller gets no error.",
			Test:  "client TestO10WhatCannotBeRedriven",
			File:  "client/redrive.go",
			Edits: edit("	if !d.Status.Terminal() && !r.Reset {", "	if !d.Status.Terminal() && !r.Reset && r.From < 0 {"),
		},
		{
			Name:  "a redrive that is too large is sent",
			Bug:   "A redrive is sent though more results came later than one transaction takes.",
			Test:  "client TestO10ARedriveThatKeepsTooMuchSaysWhatToDo",
			File:  "client/redrive.go",
			Edits: edit("const maxKept = 3 << 20", "const maxKept = 3 << 30"),
		},
		{
			Name:  "a plan does not list invalidated links",
			Bug:   "Whoever redrives from an earlier event does not learn that a link which was mailed completes nothing any more.",
			Test:  "cmd/turnstile/internal/views TestAPlanShowsWhatIsKeptAndWhatStartsAgain",
			File:  "cmd/turnstile/internal/views/plan.go",
			Edits: edit("&& w.Why == \"forgotten\"", "&& w.Why == \"\""),
		},
		{
			Name:  "a timeline does not show where a redrive continues from",
			Bug:   "A redrive or a fork is shown as starting like any other execution.",
			Test:  "internal/timeline TestExecutionsAreBandsAndTurnsTicks",
			File:  "internal/timeline/build.go",
			Edits: edit("			b.x.Origin = e.Start.Origin\n", ""),
		},
		{
			Name:  "a changed start time names no suspend",
			Bug:   "A request that changes the time of a suspend or start counts even if the instance was resumed before it, and suspends the instance.",
			Test:  "client TestASuspendThatIsRescheduledResumesByItself",
			File:  "client/suspend.go",
			Edits: edit("item.ExecutionID, item.SchedulingEventID, item.ScheduledAtMS = d.ExecutionID, d.Suspension.EventID, d.Suspension.SinceMS", "item.ExecutionID = d.ExecutionID"),
		},
		{
			Name:  "a purge with children leaves grandchildren",
			Bug:   "A purge with children leaves grandchildren.",
			Test:  "client TestO04APurgeWithChildrenTakesTheFamily",
			File:  "client/purge.go",
			Edits: edit("	for i := 0; i < len(all); i++ {", "	for i := 0; i < 1; i++ {"),
		},
		{
			Name:  "a purge with children deletes part of a running family",
			Bug:   "While one child is running, the others are purged with their parent.",
			Test:  "client TestO04APurgeWithChildrenTakesNothingWhileOneRuns",
			File:  "client/purge.go",
			Edits: edit("if !p.force && !d.Status.Terminal() {", "if !p.force && !d.Status.Terminal() && d.Instance == instance {"),
		},
		{
			Name:  "arrivals during a suspend share one limit of operations",
			Bug:   "The operations of a resume count together, so an instance fails or is stuck only because it was suspended.",
			Test:  "engine TestTheLimitOfOperationsAppliesToEachArrivalAlsoAtAResume",
			File:  "engine/deliver.go",
			Edits: edit("	x.run.operations = 0\n", ""),
		},
	}
}
