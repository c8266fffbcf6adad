package mutation

// activityMutations are of attempts, heartbeats, pending activities, and what
// an instance has to do with others.
func activityMutations() []Mutation {
	return []Mutation{
		{
			Name:  "an attempt is claimed by everybody",
			Bug:   "A claim of an attempt that runs at most once does not look whether another has it.",
			File:  "internal/store/memory/activities.go",
			Edits: edit("found.Attempt > claim.Attempt || found.Attempt == claim.Attempt && found.Token != claim.Token {", "found.Attempt > claim.Attempt+100 {"),
		},
		{
			Name:  "a copy of an attempt is made beside it",
			Bug:   "A process that has two messages of one attempt makes it twice at the same time.",
			File:  "internal/host/worker/running.go",
			Edits: edit("max(t.item.Attempt, 1), t.item.Token}", "max(t.item.Attempt, 1), t.item.Token + t.ID}"),
		},
		{
			Name:  "an interruption is counted by who cannot know",
			Rare:  true,
			Bug:   "Another attempt follows one that was not heard of, though its result came.",
			File:  "internal/host/worker/begin.go",
			Edits: edit("return unheard(item), nil", "return &answer{}, w.finish(ctx, t, &attempt.Result{Failure: &history.Failure{Kind: history.FailureInterrupted, Source: item.Name, Attempt: item.Attempt, Retryable: true}})"),
		},
		{
			Name:  "a message that its queue rejects is sent for ever",
			Bug:   "An activity, a child or an end that the queue takes at no time is sent until the dead letters have its message.",
			File:  "internal/host/dispatch/dispatcher.go",
			Bias:  "rejections",
			Edits: edit("if p.instead == nil {", "if p.instead == nil || d.by != nil {"),
		},
		{
			Name:  "a result that its queue rejects is made for ever",
			Bug:   "An activity whose result the queue takes at no time is run again with each delivery.",
			File:  "internal/host/edge/unsendable.go",
			Bias:  "rejections",
			Edits: edit("return malformed || rejected || TooLarge(err)", "return malformed && !rejected"),
		},
		{
			Name:  "a result a byte too long is taken",
			Bug:   "The result of an activity may have a byte more than the limit.",
			File:  "internal/host/attempt/attempt.go",
			Bias:  "rejections",
			Edits: edit("case len(result) > a.MaxPayload:", "case len(result) > a.MaxPayload+1:"),
		},
		{
			Name:  "the longest result is too long",
			Bug:   "A result of as many bytes as the limit says fails its activity.",
			File:  "internal/host/attempt/attempt.go",
			Bias:  "rejections",
			Edits: edit("case len(result) > a.MaxPayload:", "case len(result) >= a.MaxPayload:"),
		},
		{
			Name:  "a heartbeat does not say stop",
			Bug:   "An attempt that was asked to stop is not told by its heartbeat.",
			File:  "internal/host/attempt/pulse.go",
			Edits: edit("if state.Stop {", "if state.Stop && p.Interval < 0 {"),
		},
		{
			Name:  "a heartbeat that is refused does not hide the message",
			Bug:   "An attempt whose heartbeats the table refuses for a minute is delivered to another worker.",
			File:  "internal/host/attempt/pulse.go",
			Edits: edit("if p.Extend != nil && (", "if p.Extend != nil && err == nil && ("),
			Rare:  true,
		},
		{
			Name:  "the twin of a time limit is late",
			Bug:   "A process dies behind the commit that fails a pending activity by its limit, and the process that has the same message does not go on.",
			File:  "internal/host/deciding/pending.go",
			Edits: edit("(m.Returning() || t.stands(m)):", "m.Returning():"),
			Rare:  true,
		},
		{
			Name:  "what a start brings has not gone round",
			Bias:  "twins",
			Rare:  true,
			Bug:   "A start that raises events goes round because one process lacks a key, another has committed them and died, and nobody sends what follows.",
			File:  "internal/host/deciding/start.go",
			Edits: edit("SentMS: i.SentMS, Hops: i.Hops}", "SentMS: i.SentMS}"),
		},
		{
			Name:  "a heartbeat does not hide the message",
			Bug:   "An attempt that gives heartbeats is delivered to another worker.",
			File:  "internal/host/worker/take.go",
			Edits: edit("p.Extend = func(ctx context.Context) { _ = w.hide(ctx, t, p.Timeout+p.Interval, p) }", "p.Extend = func(context.Context) {}"),
		},
		{
			Name:  "a pending activity has no deadline",
			Bug:   "The time limit of all attempts is not looked at once an activity is pending.",
			File:  "internal/host/deciding/pending.go",
			Edits: edit("time.UnixMilli(scheduled.AtMS)); bounded {", "time.UnixMilli(scheduled.AtMS)); bounded && item.Attempt < 0 {"),
		},
		{
			Name:  "a batch mate is left to become visible",
			Rare:  true,
			Bug:   "The message of an attempt that is done becomes visible while its batch is worked on, and is run again.",
			File:  "internal/host/worker/batch.go",
			Edits: edit("b.working > 0 && t.state == done {", "b.working < 0 && t.state == done {"),
		},
		{
			Name:  "a limit of a pending activity has no schedule",
			Bug:   "Nothing looks at a pending activity when its time limit is over.",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("out.timed(timer.Schedule{Name: name, Due: due, Body: body, Group: wire.Group(item.Instance)}, due.Sub(out.Now))", "_, _ = name, body"),
		},
		{
			Name:  "all limits of a pending activity have one schedule",
			Bug:   "The schedule of the next heartbeat timeout is taken for the one that has just fired.",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("item.SourceEventID, int64(item.Attempt), item.NotBeforeMS)", "item.SourceEventID, int64(item.Attempt))"),
		},
		{
			Name:  "a completed activity is looked at for ever",
			Bug:   "A pending activity that was completed is looked at again each hour.",
			File:  "internal/host/deciding/pending.go",
			Edits: edit("\tdefault:\n\t\tp.settle(m, \"late\")", "\tdefault:\n\t\tif p.settle(m, \"late\"); m.Item.Kind == wire.ActivityPending {\n\t\t\tp.Send.Limits = &Limits{Since: t.Now.At, Items: []wire.Item{m.Item}, Dues: []time.Time{t.Now.At.Add(time.Hour)}}\n\t\t}"),
		},
		{
			Name:  "a pending activity is silent at once",
			Bug:   "The heartbeats of a pending activity count for nothing.",
			File:  "internal/host/deciding/pending.go",
			Edits: edit("last := max(item.SentMS, state.Beat.At.UnixMilli())", "last := max(item.SentMS, min(state.Beat.At.UnixMilli(), 0))"),
		},
		{
			Name:  "an attempt has no heartbeat of the one before",
			Bug:   "The details of the last heartbeat are not handed to the next attempt.",
			File:  "internal/host/worker/take.go",
			Edits: edit("Heartbeat: beat.Details,", "Heartbeat: beat.Details[:0:0],"),
		},
		{
			Name:  "a sign of life needs no token",
			Bug:   "A heartbeat of a pending activity is recorded though its token is made up.",
			File:  "internal/host/deciding/pending.go",
			Edits: edit("case v.Kind == engine.Recorded:", "case v.Kind == engine.Recorded, v.Kind == engine.Forged && m.Item.Kind == wire.ActivityHeartbeat:"),
		},
		{
			Name:  "a final error is retried",
			Bug:   "An error that its activity calls final is followed by another attempt.",
			File:  "internal/host/attempt/attempt.go",
			Edits: edit("r.Failure.Retryable = false", "r.Failure.Retryable = true"),
		},
		{
			Name:  "a child outlives its parent",
			Bug:   "A child that was started to end with its parent runs on.",
			File:  "engine/ending.go",
			Edits: edit("(op.kind != history.SubOrchestrationScheduled || x.events.at(int(op.id)-1).OnParentEnd != \"\")", "op.kind != history.SubOrchestrationScheduled"),
		},
		{
			Name:  "a cancel ahead of the start is dropped",
			Rare:  true,
			Bias:  "dead letters",
			Bug:   "What a parent sends to end its child is acknowledged when it overtakes the child's start.",
			File:  "internal/host/deciding/without.go",
			Edits: edit("if m.Item.Kind != wire.ExternalRaised && !endsChild {", "if m.Item.Kind != wire.ExternalRaised || endsChild {"),
		},
		{
			Name:  "nothing is said to other instances",
			Bug:   "Events and cancels that code has for other instances are recorded and not sent.",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("	out.sendOrRefuse(c, e.EventID, &item, string(item.Kind), ", "	_ = fmt.Sprint("),
		},
	}
}
