package mutation

// gateMutations are of instances under a limit, and of the gate that lets them begin.
func gateMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a gate lets in one more",
			Bug:   "A gate gives a place while as many run as may.",
			Bias:  "gates",
			File:  "gate.go",
			Edits: edit("		for len(g.Running) < g.N && len(g.Waiting) > 0 {", "		for len(g.Running) <= g.N && len(g.Waiting) > 0 {"),
		},
		{
			Name:  "a gate forgets who runs",
			Bug:   "The next execution of a gate is not told of the end of those that run, so their places stay taken.",
			Bias:  "gates",
			File:  "gate.go",
			Edits: edit("	for _, p := range slices.Concat(g.Running, g.Waiting) {\n		g.watch(ctx, p)", "	for _, p := range g.Waiting {\n		g.watch(ctx, p)"),
		},
		{
			Name:  "an end frees no place",
			Bug:   "A gate hears of an end, and nobody begins in its place.",
			Bias:  "gates",
			File:  "gate.go",
			Edits: edit("		return None{}, g.admit(ctx)\n	})", "		return None{}, nil\n	})"),
		},
		{
			Name:  "a rejected attachment is an end",
			Bug:   "An instance of which the gate could not ask to be told counts as ended, and another begins beside it.",
			Bias:  "gates+rejections",
			File:  "gate.go",
			Edits: edit("return ok && failed.Kind == KindTooLarge &&", "return ok && failed.Kind == \"\" &&"),
		},
		{
			Name:  "a question is asked once",
			Bug:   "A turn that comes back does not ask the gate again, where the process has died that was to.",
			Bias:  "gates",
			File:  "internal/host/dispatch/work.go",
			Edits: edit("(e.FireAtMS > 0 || e.LimitKey != \"\")", "e.FireAtMS > 0"),
		},
		{
			Name:  "a redrive is beside the limit",
			Bug:   "What ran under a limit goes on at once when it is redriven.",
			Bias:  "gates",
			File:  "internal/redriving/held.go",
			Edits: edit("	if start.LimitKey != \"\" {", "	if start.LimitKey == \"?\" {"),
		},
		{
			Name:  "what is let go at once is not sent",
			Bug:   "A redrive is resumed by the commit that makes it, and what it takes over counts as settled.",
			Rare:  true,
			Bias:  "redrives+gates",
			File:  "internal/host/deciding/commit.go",
			Edits: edit("			open.Add(turns[i].Events)\n", ""),
		},
		{
			Name:  "what a redrive has open does not wait",
			Bug:   "The activities that a redrive starts anew run while the instance waits for its turn.",
			Bias:  "gates",
			File:  "internal/host/dispatch/taken_over.go",
			Edits: edit("redriving.Holds(t.Events, k.last)", "redriving.Holds(t.Events, -1)"),
		},
		{
			Name:  "what was held back is not sent",
			Bug:   "An instance that is redriven and whose turn has come waits for ever for what it has open.",
			Bias:  "gates",
			File:  "internal/host/deciding/commit.go",
			Edits: edit("released >= c.First() && released <= c.Last()", "released > c.Last()"),
		},
		{
			Name:  "what was held back is sent once",
			Bug:   "A turn that comes back does not send what was held back until it, where the process has died that was to.",
			Bias:  "gates",
			File:  "internal/host/resending/resending.go",
			Edits: edit("released >= t.First() && released <= t.Last()", "released > t.Last()"),
		},
		{
			Name:  "a cancel waits for its turn",
			Bug:   "An instance that waits for its turn hears of a cancel only when that has come.",
			Bias:  "gates",
			File:  "engine/suspend.go",
			Edits: edit("a.Event.Kind == history.OrchestrationCancelRequested && x.queued()", "false && x.queued()"),
		},
		{
			Name:  "the next execution is under no limit",
			Bug:   "What has continued as new and is redriven goes on beside the limit.",
			Bias:  "gates",
			File:  "engine/continue_as_new.go",
			Edits: edit("		start.LimitKey, start.Limit = was.Start.LimitKey, was.Start.Limit\n", ""),
		},
		{
			Name:  "the next execution asks for a place",
			Bug:   "What continues as new at once asks the gate again, which takes it for one that has begun again and gives its place away.",
			Bias:  "gates+purges",
			File:  "engine/continue_as_new.go",
			Edits: edit("			if e.LimitKey != \"\" {\n				continue", "			if e.LimitKey == \"?\" {\n				continue"),
		},
		{
			Name:  "a redrive with an open inline activity runs at once",
			Bug:   "What is redriven with the result of an inline activity to come does not wait for its turn.",
			Bias:  "gates+forks",
			File:  "engine/run.go",
			Edits: edit("case a.Event.Kind == history.OrchestrationRedriven && suspendedIn(a.With) != nil:", "case a.Event.Kind == history.OrchestrationRedriven && suspendedIn(a.With) != nil && len(x.openInline.open()) == 0:"),
		},
		{
			Name:  "the number of the code counts for a gate that an operator has set",
			Bug:   "A gate lets in as many as the code says, though an operator has set another number.",
			Bias:  "gates",
			File:  "gate.go",
			Edits: edit("cmp.Or(g.Set, g.Declared)", "cmp.Or(g.Declared, g.Set)"),
		},
	}
}
