package mutation

// clientMutations are of rules that no run of the simulation has, most of them the client's and the
// command line's: each names the test that fails.
func clientMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a rerun forgets the search attributes of the start",
			Bug:   "An instance that is rerun is not found any more by what its first start has set.",
			Test:  "client TestARerunTakesOverTheLastStart",
			File:  "client/rerun.go",
			Edits: edit("start.Headers, start.SearchAttributes = first.Headers, searchAttributesOf(first.SearchAttributes)", "start.Headers, _ = first.Headers, searchAttributesOf(first.SearchAttributes)"),
		},
		{
			Name:  "a reset ends whatever runs",
			Bug:   "The terminate of a reset that comes again ends the execution which the reset has begun.",
			Test:  "client TestO10AResetEndsTheExecutionThatItGoesOnFrom",
			File:  "client/redrive.go",
			Edits: edit("Instance: item.Instance, ExecutionID: d.ExecutionID, ID: item.ID, Reason: \"reset\"", "Instance: item.Instance, ID: item.ID, Reason: \"reset\""),
		},
		{
			Name:  "a token from before a redrive is refused",
			Bug:   "The client does not look whether a redrive has taken over the activity of a token, so that a link in a mail is dead.",
			Test:  "client TestO10ATokenFromBeforeARedriveCompletesWhatTheRedriveHasTakenOver",
			File:  "client/pending.go",
			Edits: edit("return k.EventID == t.EventID && ", "return k.EventID < 0 && "),
		},
		{
			Name:  "a heartbeat by a token from before a redrive is late",
			Bug:   "Work that goes on over a redrive, and whose result counts, gives no sign of life any more.",
			Test:  "client TestO10ATokenFromBeforeARedriveCompletesWhatTheRedriveHasTakenOver",
			File:  "internal/host/deciding/arrival.go",
			Edits: edit("a.Event = history.Event{Kind: history.ActivityCompleted, SourceEventID: i.SourceEventID}", "a.Event = history.Event{Kind: history.ActivityFailed, SourceEventID: i.SourceEventID}"),
		},
		{
			Name:  "a client with the code redrives without a look at it",
			Bug:   "A redrive that the code contradicts is sent, and becomes a dead letter that nobody at the call hears of.",
			Test:  "client TestO10AClientThatHasTheCodeReplaysItBeforeItSends",
			File:  "client/redrive.go",
			Edits: edit("if c.cfg.App == nil || len(prefix) == 0 {", "if c.cfg.App == nil || len(prefix) >= 0 {"),
		},
		{
			Name:  "a redrive is sent though a key of its history is gone",
			Bug:   "Nobody says at the call that the history cannot be opened any more.",
			Test:  "client TestO10ARedriveNeedsTheKeyOfItsHistory",
			File:  "client/redrive.go",
			Edits: edit("if _, err := c.cfg.Codecs.OpenEvents(turns[i].Instance, turns[i].ExecutionID, turns[i].Events); err != nil {", "if _, err := c.cfg.Codecs.OpenEvents(turns[i].Instance, turns[i].ExecutionID, turns[i].Events); err != nil && i < 0 {"),
		},
		{
			Name:  "a redrive of what runs is sent",
			Bug:   "A redrive that nobody will carry out is sent for an instance that runs, and its caller hears of no error.",
			Test:  "client TestO10WhatCannotBeRedriven",
			File:  "client/redrive.go",
			Edits: edit("	if !d.Status.Terminal() && !r.Reset {", "	if !d.Status.Terminal() && !r.Reset && r.From < 0 {"),
		},
		{
			Name:  "a redrive keeps more than a commit holds",
			Bug:   "A redrive is sent though more results came later than one transaction takes.",
			Test:  "client TestO10ARedriveThatKeepsTooMuchSaysWhatToDo",
			File:  "client/redrive.go",
			Edits: edit("const maxKept = 3 << 20", "const maxKept = 3 << 30"),
		},
		{
			Name:  "a plan does not say which links die",
			Bug:   "Whoever redrives from an earlier event does not learn that a link which was mailed completes nothing any more.",
			Test:  "cmd/turnstile/internal/views TestAPlanSaysWhatIsKeptAndWhatStartsAnew",
			File:  "cmd/turnstile/internal/views/plan.go",
			Edits: edit("w.Kind == history.ActivityScheduled && w.Why == \"forgotten\"", "w.Kind == history.ActivityScheduled && w.Why == \"\""),
		},
		{
			Name:  "a timeline does not say from where a redrive goes on",
			Bug:   "Whoever looks at a redrive or a fork sees it begin like any other execution.",
			Test:  "internal/timeline TestExecutionsAreBandsAndTurnsTicks",
			File:  "internal/timeline/build.go",
			Edits: edit("			b.x.Origin = e.Start.Origin\n", ""),
		},
		{
			Name:  "who moves the time of a start names no suspend",
			Bug:   "A request that moves the time of a suspend, or of a start, counts also where the instance was resumed ahead of it, and suspends it.",
			Test:  "client TestASuspendThatIsRescheduledGoesOnByItself",
			File:  "client/suspend.go",
			Edits: edit("item.ExecutionID, item.SchedulingEventID = d.ExecutionID, d.Suspension.EventID", "item.ExecutionID = d.ExecutionID"),
		},
		{
			Name:  "a purge with children leaves grandchildren",
			Bug:   "The children of children stay when their family is purged.",
			Test:  "client TestO04APurgeWithChildrenTakesTheFamily",
			File:  "client/purge.go",
			Edits: edit("	for i := 0; i < len(all); i++ {", "	for i := 0; i < 1; i++ {"),
		},
		{
			Name:  "a purge with children takes what has ended of a family that runs",
			Bug:   "While a child runs, the others are purged with their parent.",
			Test:  "client TestO04APurgeWithChildrenTakesNothingWhileOneRuns",
			File:  "client/purge.go",
			Edits: edit("if !p.force && !d.Status.Terminal() {", "if !p.force && !d.Status.Terminal() && d.Instance == instance {"),
		},
		{
			Name:  "what comes while an instance is suspended has the limit of one arrival",
			Bug:   "The operations of a resume count together, and an instance fails, or is stuck, that would not have been if it had not been suspended.",
			Test:  "engine TestTheLimitOfOperationsCountsWhatAnswersOneArrivalAlsoAtAResume",
			File:  "engine/deliver.go",
			Edits: edit("	x.run.operations = 0\n", ""),
		},
	}
}
