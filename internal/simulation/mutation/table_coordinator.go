package mutation

// coordinatorMutations are bugs of instances under a limit, and of the coordinator that lets
// them start.
func coordinatorMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a coordinator lets in one instance too many",
			Bug:   "A coordinator gives a permit while the limit is reached.",
			Bias:  "coordinators",
			File:  "coordinator.go",
			Edits: edit("		for len(g.Running) < g.N && len(g.Waiting) > 0 {", "		for len(g.Running) <= g.N && len(g.Waiting) > 0 {"),
		},
		{
			Name:  "a coordinator's next execution forgets running instances",
			Bug:   "The next execution of a coordinator is not notified of the end of running instances, so their permits stay taken.",
			Bias:  "coordinators",
			File:  "coordinator.go",
			Edits: edit("	for _, p := range slices.Concat(g.Running, g.Waiting) {\n		g.watch(ctx, p)", "	for _, p := range g.Waiting {\n		g.watch(ctx, p)"),
		},
		{
			Name:  "an end frees no permit",
			Bug:   "A coordinator is notified of an end, and no instance starts in its place.",
			Bias:  "coordinators",
			File:  "coordinator.go",
			Edits: edit("		return None{}, g.admit(ctx)\n	})", "		return None{}, nil\n	})"),
		},
		{
			Name:  "a rejected attachment counts as an end",
			Bug:   "An instance whose end the coordinator could not subscribe to counts as ended, and another starts in parallel.",
			Bias:  "coordinators+rejections",
			File:  "coordinator.go",
			Edits: edit("return ok && failed.Kind == KindTooLarge &&", "return ok && failed.Kind == \"\" &&"),
		},
		{
			Name:  "a request for a permit is sent only once",
			Bug:   "A process dies before it asks the coordinator for a permit, and the redelivered turn does not ask again.",
			Bias:  "coordinators",
			File:  "internal/host/dispatch/work.go",
			Edits: edit("(e.FireAtMS > 0 || e.LimitKey != \"\")", "e.FireAtMS > 0"),
		},
		{
			Name:  "a delayed start ignores the limit",
			Bug:   "A scheduled instance starts at its time, however many are running.",
			Test:  "internal/coordination TestADelayedStartWaitsForItsTimeAndThenForItsTurn",
			File:  "engine/suspend.go",
			Edits: edit("case a.Queue != nil && x.scheduled():", "case a.Queue != nil && x.scheduled() && x.queued():"),
		},
		{
			Name:  "a permit request that is too large is tried forever",
			Bug:   "An instance whose request for a permit cannot be sent stays queued, and its messages are redelivered.",
			Test:  "internal/host/orchestrator TestAnInstanceThatCannotRequestAPermitIsTerminated",
			File:  "internal/host/dispatch/held.go",
			Edits: edit("		out.unasked(c, e, err)\n		return\n", "		out.failed(err)\n		return\n"),
		},
		{
			Name:  "a restart uses the number of an older build",
			Bug:   "A start that names the key of the implementation uses its own build's number; a restart uses the number of the earlier start.",
			Test:  "internal/coordination TestWhatRestartsHasTheNumberOfTheNewestBuild",
			File:  "internal/host/deciding/known.go",
			Edits: edit("(key == \"\" || key == o.LimitKey)", "key == \"\""),
		},
		{
			Name:  "a coordinator waits for the timer service",
			Bug:   "While the timer service refuses schedules, the coordinator sends no answer, because it first sets its timer of a day.",
			Test:  "internal/host/dispatch TestTheMessagesOfACommit",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("	if coordination.IsCoordinator(c.Instance) {", "	if coordination.IsCoordinator(c.Name) {"),
		},
		{
			Name:  "a coordinator's timer becomes a dead letter",
			Bug:   "A coordinator's timer of a day is sent through the delay queue, and becomes a dead letter there.",
			Test:  "internal/coordination TestAPermitIsFreeADayAfterItsHolderWasPurged",
			File:  "internal/host/inbox/admit.go",
			Edits: edit("i.Kind == wire.TimerFired && m.Proven && coordination.IsCoordinator(i.Instance)", "i.Kind == wire.TimerFired && !m.Proven && coordination.IsCoordinator(i.Instance)"),
		},
		{
			Name:  "an interrupted dispatch forgets the timer service's error",
			Bug:   "If the invocation has no time for another try, no log line says that the timer service refuses schedules.",
			Test:  "internal/host/orchestrator TestALongRefusalByTheTimerServiceIsLogged",
			File:  "internal/host/dispatch/dispatcher.go",
			Edits: edit("		d.stop(err) // Also", "		d.stop(nil) // Also"),
		},
		{
			Name:  "a redrive ignores the limit",
			Bug:   "An instance that ran under a limit continues at once when it is redriven.",
			Bias:  "coordinators",
			File:  "internal/redriving/held.go",
			Edits: edit("	if r.LimitKey != \"\" {", "	if r.LimitKey == \"?\" {"),
		},
		{
			Name:  "a cancel waits for the permit",
			Bug:   "An instance that waits for a permit processes a cancel only after it gets the permit.",
			Bias:  "coordinators",
			File:  "engine/suspend.go",
			Edits: edit("a.Event.Kind == history.OrchestrationCancelRequested && x.queued()", "false && x.queued()"),
		},
		{
			Name:  "continue-as-new ignores the limit",
			Bug:   "An instance that continued as new and is redriven ignores the limit.",
			Bias:  "coordinators",
			File:  "engine/continue_as_new.go",
			Edits: edit("		start.LimitKey, start.Limit = was.Start.LimitKey, was.Start.Limit\n", ""),
		},
		{
			Name:  "continue-as-new requests a second permit",
			Bug:   "An instance that continues as new immediately asks the coordinator again, which takes it for a restarted one and gives its permit away.",
			Bias:  "coordinators+purges",
			File:  "engine/continue_as_new.go",
			Edits: edit("			if e.LimitKey != \"\" {\n				continue", "			if e.LimitKey == \"?\" {\n				continue"),
		},
		{
			Name:  "a coordinator uses the code's number despite an operator's",
			Bug:   "A coordinator uses the number of the code, though an operator has set another.",
			Bias:  "coordinators",
			File:  "coordinator.go",
			Edits: edit("cmp.Or(g.Set, g.Declared)", "cmp.Or(g.Declared, g.Set)"),
		},
	}
}
