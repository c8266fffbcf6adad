package mutation

import "slices"

// hostMutations break the protocol of a turn.
func hostMutations() []Mutation {
	return slices.Concat(commitMutations(), sharingMutations(), redeliveryMutations(), stuckMutations(), messageMutations(), purgeMutations(), redriveMutations(), suspendMutations())
}

// commitMutations are of commits and what is sent behind them.
func commitMutations() []Mutation {
	return []Mutation{
		{
			Name:  "acknowledge before dispatch",
			Bug:   "A message is acknowledged although what its turn asked for could not be sent.",
			File:  "internal/host/orchestrator/commit.go",
			Edits: edit("if err := a.dispatch(ctx, out); err != nil {", "if err := a.dispatch(ctx, out); err != nil && ctx.Err() != nil {"),
		},
		{
			Name:  "what is slowed is forgotten",
			Bug:   "What goes on without a pause is not sent at all, in place of later.",
			File:  "internal/host/dispatch/outbox.go",
			Edits: edit("out.queue(toDelay, queue.Outgoing{Body: body, Delay: edge.QueueDelay(pause)})\n		return nil", "out.put(parcel{route: toDelay, done: true})\n		return nil"),
		},
		{
			Name:  "a loop that is slowed does not go on",
			Bug:   "An instance that continues as new without a pause is left where it is.",
			File:  "internal/host/orchestrator/send.go",
			Edits: edit("err = a.goOnSlowly(ctx, wake, pause)", "err = ctx.Err()"),
		},
		{
			Name:  "who loses dispatches too",
			Bug:   "A turn goes on after a conflict as if it had been written.",
			File:  "internal/host/orchestrator/commit.go",
			Edits: edit("\tif err != nil {\n\t\treturn fmt.Errorf(\"host: turn of", "\tif err != nil && !errors.Is(err, store.ErrConflict) {\n\t\treturn fmt.Errorf(\"host: turn of"),
		},
		{
			Name:  "an inline result loses search attributes",
			Bug:   "What code sets of search attributes before an inline activity's result does not reach the record.",
			File:  "internal/host/deciding/draft.go",
			Edits: edit("	both.SetBefore(&d.Turn)\n", "	was := d.Turn\n	was.SearchSet = nil\n	both.SetBefore(&was)\n"),
		},
		{
			Name:  "an unknown outcome is success",
			Bug:   "A turn goes on although nobody knows whether it was written.",
			File:  "internal/host/orchestrator/commit.go",
			Edits: edit("\tif err != nil {\n\t\treturn fmt.Errorf(\"host: turn of", "\tif err != nil && !errors.Is(err, store.ErrUnknownOutcome) {\n\t\treturn fmt.Errorf(\"host: turn of"),
		},
		{
			Name:  "a duplicate is believed without a commit",
			Bias:  "purges",
			Bug:   "What a warm execution says of a message is believed, though no commit has shown that it is not stale.",
			File:  "internal/host/deciding/round.go",
			Edits: edit("if t.Running.Warm && !t.Running.Confirmed && ", "if t.Running.Warm && t.Running.Confirmed && "),
		},
		{
			Name:  "trust a stale cache",
			Bug:   "A wake, a terminate or a purge is judged by a warm execution, though no commit will show that it is stale.",
			File:  "internal/host/deciding/load.go",
			Edits: edit("return m.Returning() || !m.Records() || ", "return m.Returning() || "),
		},
		{
			Name:  "what comes back is judged by the cache",
			Bug:   "A message that comes back is judged by a warm execution, which may be stale.",
			File:  "internal/host/deciding/load.go",
			Edits: edit("return m.Returning() || !m.Records()", "return !m.Records()"),
		},
		{
			Name:  "a lost turn stays in the cache",
			Bug:   "An execution goes into the cache though its turn could not be committed.",
			File:  "internal/host/orchestrator/attempt.go",
			Edits: edit("if err == nil && t.Keep && !t.Running.X.Ended() {", "if !t.Running.X.Ended() {"),
		},
		{
			Name:  "a torn read is believed",
			Bug:   "An instance that continued as new between the read of its record and that of its history is judged by the execution that ended.",
			File:  "internal/host/orchestrator/load.go",
			Edits: edit("	if reading.ContinuedAsNew(turns) {", "	if reading.ContinuedAsNew(turns) && len(turns) > 100 {"),
			Bias:  "torn reads",
		},
		{
			Name:  "what an old record has is not written anew",
			Bug:   "A custom status that the record has, as it was read beside a commit that is under way, is not written, though that commit changes it.",
			File:  "internal/host/projection/project.go",
			Edits: edit(" || !bytes.Equal(d.StatusWas, d.CustomStatus))", ")"),
			Bias:  "torn reads",
		},
		{
			Name:  "another attempt is begun on a torn read",
			Rare:  true,
			Bias:  "torn reads",
			Bug:   "A message about a pending activity that comes back begins another attempt, though its first delivery has failed the activity in a commit that the read does not show.",
			File:  "internal/host/deciding/pending.go",
			Edits: edit("\tif m.Returning() {\n\t\t// By another clock", "\tif m.Returning() && t.Running.Creating {\n\t\t// By another clock"),
		},
		{
			Name:  "a turn without room fails its instance",
			Bias:  "small commits",
			Bug:   "An instance fails for what came in one batch, though a commit holds what each message brings.",
			File:  "internal/host/orchestrator/group.go",
			Edits: edit("case e == large && len(g.Open()) > 1:", "case e == large && len(g.Open()) > 100:"),
		},
		{
			Name:  "the second half is taken behind a failure",
			Rare:  true,
			Bias:  "small commits",
			Bug:   "Of a turn that is made in two parts the second is made although the first was handed back.",
			File:  "internal/host/orchestrator/group.go",
			Edits: edit("\t\tif slices.ContainsFunc(half, func(m *inbox.Message) bool { return m.State == inbox.Failed }) {", "\t\tif slices.Contains(half, nil) {"),
		},
		{
			Name:  "corruption is marked without confirmation",
			Bug:   "What a read did not find counts as lost, whatever an isolated read says.",
			File:  "internal/host/reading/source.go",
			Edits: edit("if at.Stored || at.Record == nil || !holds(", "if at.Record != nil && at.Record.Purged && !holds("),
		},
		{
			Name:  "an execution may have no end",
			Rare:  true,
			Bias:  "torn reads",
			Bug:   "An execution that another has followed is believed to go on, if its end was not found.",
			File:  "internal/host/reading/corrupt.go",
			Edits: edit("|| execution == r.ExecutionID && !r.Status.Terminal() {", "|| execution < r.ExecutionID || !r.Status.Terminal() {"),
		},
		{
			Name:  "the record is changed from a stale history",
			Rare:  true,
			Bug:   "A change of the record alone does not ask whether the record is still what the turn knows.",
			File:  "internal/host/projection/project.go",
			Edits: edit("c.If.Exists, c.If.ExecutionID, c.If.Running = true, s.Execution, true", "c.If.Exists = true"),
		},
		{
			Name:  "cancelled at once and sent all the same",
			Bug:   "What a turn scheduled and cancelled is sent, and nothing stops it.",
			File:  "internal/host/dispatch/commit.go",
			Edits: edit("closed := e.Inline || cancelled[e.EventID] || c.Done", "closed := e.Inline || c.Done"),
		},
		{
			Name:  "a parent is not told of a terminated child",
			Bug:   "An end that the code did not make is not sent to the parent.",
			File:  "internal/host/dispatch/commit.go",
			Edits: edit("		if c.Start.Parent != nil {", "		if c.Start.Parent != nil && end.Imposed == \"\" {"),
		},
		{
			Name:  "only the own parent is told",
			Bug:   "Parents that wait for an instance which was there already hear nothing of its end.",
			File:  "internal/host/dispatch/commit.go",
			Edits: edit("		for _, p := range c.Parents {", "		for _, p := range c.Parents[:0] {"),
		},
		{
			Name:  "a parent is told of each execution",
			Bug:   "A child that continues as new is reported to its parent as ended.",
			File:  "internal/host/dispatch/commit.go",
			Edits: edit("return end.Terminal() && end != history.OrchestrationContinuedAsNew", "return end.Terminal()"),
		},
		{
			Name:  "nobody goes on with a turn cut short",
			Bug:   "A turn that stops for want of time sends no wake to go on by.",
			File:  "internal/host/deciding/round.go",
			Edits: edit("p.Send.GoOn = t.goOnLater()", "_ = t.goOnLater()"),
		},
		{
			Name:  "a schedule in the past is forgotten",
			Rare:  true,
			Bug:   "A timer that the timer service refuses because it is due is never sent.",
			File:  "internal/host/dispatch/sender.go",
			Edits: edit("		if errors.Is(err, timer.ErrPast) {\n", "		if p.done = errors.Is(err, timer.ErrPast); p.done {\n			return nil\n		}\n		if p.done {\n"),
		},
		{
			Name:  "a dispatch cut short is done",
			Bug:   "A dispatch that has no time left for the rest says that all is sent.",
			File:  "internal/host/dispatch/sender.go",
			Edits: edit("		if !clock.HasTime(d.deadline, d.by.Clock, d.by.Settings.Time) {\n			d.stop(nil)\n", "		if !clock.HasTime(d.deadline, d.by.Clock, d.by.Settings.Time) {\n"),
		},
		{
			Name:  "a batch behind a failed one is done",
			Bug:   "What was not sent, because something else could not be, counts as sent.",
			File:  "internal/host/dispatch/sender.go",
			Edits: edit("	for _, batches := range rounds {\n", "	for _, p := range parcels {\n		p.done = true\n	}\n	for _, batches := range rounds {\n"),
		},
		{
			Name:  "progress is one too far",
			Bug:   "A dispatch that stopped short leaves word that the first thing which it did not send was sent.",
			File:  "internal/host/dispatch/progress.go",
			Edits: edit("return progress{from: stopped.row, upTo: at}, true", "return progress{from: stopped.row, upTo: stopped.at}, true"),
		},
	}
}

// sharingMutations are of calls that several make together.
func sharingMutations() []Mutation {
	return []Mutation{
		{
			Name:  "who shares a call is told of another's message",
			Bug:   "Of a call that several share each is told what became of the first messages, so that one whose message was refused takes it for sent.",
			File:  "internal/host/sharing/sharing.go",
			Edits: edit("err := queue.ErrorOf(c.err, at+i)", "err := queue.ErrorOf(c.err, i)"),
			Bias:  "shared calls",
		},
		{
			Name:  "who shares a call does not wait for it",
			Bug:   "Whoever joins a call takes it for made, and acknowledges what the call has not sent yet.",
			File:  "internal/host/sharing/sharing.go",
			Edits: edit("		clock.Await(s.clock, c.made, 0)\n", "		return nil\n"),
		},
	}
}

// redeliveryMutations are of messages that come back.
func redeliveryMutations() []Mutation {
	return []Mutation{
		{
			Name:  "redelivery sends nothing again",
			Bug:   "A message that comes back is acknowledged, though the turn that recorded it may never have been dispatched.",
			File:  "internal/host/deciding/again.go",
			Edits: edit("return again.Fact(v.EventID)", "return nil"),
		},
		{
			Name:  "a message without a fact sends nothing again",
			Bug:   "A message that comes back, and whose turn has first committed what was parked, sends nothing of that again.",
			File:  "internal/host/deciding/again.go",
			Edits: edit("return again.LastTurn()", "return nil"),
		},
		{
			Name:  "redelivery sends the last turn again",
			Bug:   "A message that comes back sends the last turn again, though a twin has recorded another message since.",
			File:  "internal/host/deciding/again.go",
			Edits: edit("return again.Fact(v.EventID)", "return again.LastTurn()"),
			Bias:  "twins",
			Rare:  true,
		},
		{
			Name:  "redelivery sends everything again",
			Bug:   "What a turn asked for is sent again though it is complete or cancelled.",
			File:  "internal/host/resending/resending.go",
			Edits: edit("c.Done[id] = !still || t.ExecutionID == r.execution && r.heard(id)", "c.Done[id] = t.ExecutionID == r.execution && still && r.view == nil"),
		},
		{
			Name:  "redelivery looks at one commit",
			Bug:   "A message that comes back sends again the commit that recorded it, and none that followed in its turn.",
			File:  "internal/host/resending/resending.go",
			Edits: edit("for end < len(turns) && !turns[end].Messaged {", "for end < i && !turns[end].Messaged {"),
		},
		{
			Name:  "redelivery forgets the end before",
			Bug:   "What the end of the execution before stopped is not stopped again, though it is in the same commit.",
			File:  "internal/host/resending/resending.go",
			Edits: edit("!turns[i].Messaged && n >= r.furthest(0) {", "!turns[i].Messaged && n > r.execution {"),
		},
		{
			Name:  "redelivery looks back one execution",
			Rare:  true,
			Bias:  "overtaken+twins",
			Bug:   "Of a turn that another process has gone on with through several executions, the first commits are not sent again.",
			File:  "internal/host/resending/resending.go",
			Edits: edit("\t\t\terr = r.turnOf(before, len(before)-1)\n", "\t\t\tr.between(before, max(len(before)-1, 0), len(before))\n"),
		},
		{
			Name:  "a start that comes back begins what is there",
			Bug:   "The history that a start has begun is read, and the instance begun once more.",
			File:  "internal/host/orchestrator/load.go",
			Edits: edit("	if err == nil && len(turns) > 0 {\n		err = fmt.Errorf(\"host: instance %q began", "	if err == nil && len(turns) < 0 {\n		err = fmt.Errorf(\"host: instance %q began"),
			Bias:  "torn reads",
		},
		{
			Name:  "a wake does not look who has gone on",
			Bias:  "twins+short invocations",
			Rare:  true,
			Bug:   "A wake that is to go on with an instance, and finds that another process has, leaves what that one committed to it.",
			File:  "internal/host/deciding/wake.go",
			Edits: edit("if m.Item.ExecutionID != t.Running.Execution || m.Item.SchedulingEventID", "if t.Running.Creating && m.Item.SchedulingEventID"),
		},
		{
			Name:  "a twin sends nothing",
			Bug:   "Of two processes that have the same delivery one commits and dies ahead of its dispatch, and the other takes the message for a duplicate and acknowledges it.",
			File:  "internal/host/deciding/again.go",
			Edits: edit("case len(back) == 0 && len(twins) == 0 && !late:", "case len(back) == 0 && !late:"),
		},
		{
			Name:  "a twin does not look at what has ended",
			Bug:   "Of two processes that have the same delivery one ends the instance and dies ahead of its dispatch, and the other acknowledges the message as late.",
			Bias:  "twins",
			File:  "internal/host/deciding/load.go",
			Edits: edit(" || !r.EndedAt.Before(earliest(m))", " || r.EndedAt.IsZero()"),
		},
		{
			Name:  "a twin looks at no end ahead of its fact",
			Bug:   "Of two processes that have the same delivery one ends the instance by what was recorded before, ahead of the message, and dies ahead of its dispatch; the other acknowledges the message as late.",
			Bias:  "twins",
			Rare:  true,
			File:  "internal/host/deciding/again.go",
			Edits: edit("case v.Kind == engine.Late && x.Ended():", "case v.Kind == engine.Late && false:"),
		},
		{
			Name:  "a commit is decided on after the end of the invocation",
			Bug:   "A process that was paused for longer than its messages are hidden reads what is stored and commits, though another has acknowledged them: nobody dispatches it.",
			Bias:  "overtaken",
			Rare:  true,
			File:  "internal/host/deciding/decide.go",
			Edits: edit("if err == nil && p.Commit != nil && !t.Now.has(0) {", "if err == nil && p.Over && !t.Now.has(0) && p.Commit != nil {"),
		},
		{
			Name:  "a twin of what went round looks at the last turn alone",
			Bug:   "Of two processes that have the same delivery one lets the message go round, the other commits what it brings, and dies; others overtake the message, and what was committed for it is not sent when it comes.",
			Bias:  "twins",
			Rare:  true,
			File:  "internal/host/deciding/again.go",
			Edits: edit("m.Redriven() || m.Item.Hops > 0 && !m.Returning()", "m.Redriven()"),
		},
		{
			Name:  "a twin does not wait for the commit that is under way",
			Bias:  "twins+torn reads",
			Bug:   "Of two processes that have the same delivery one acknowledges it while the commit of the other is under way, and who handles the next message reads the record as it was.",
			File:  "internal/host/deciding/again.go",
			Edits: edit("if err := t.awaitTwin(); err != nil {", "if err := error(nil); err != nil {"),
		},
		{
			Name:  "a twin of a wake does not go on",
			Rare:  true,
			Bias:  "twins+late ends",
			Bug:   "Of two processes that have the same wake one clears the mark and dies ahead of the wake by which its turn was to go on, and the other drops the wake.",
			File:  "internal/host/deciding/wake.go",
			Edits: edit("\tcase problem == nil:\n", "\tcase problem == nil && t.Running.Creating:\n"),
		},
		{
			Name:  "a redrive looks at the last turn alone",
			Rare:  true,
			Bias:  "dead letters",
			Bug:   "A message that was thrown out between its commit and the dispatch, and that others have overtaken, sends nothing of it when it is redriven.",
			File:  "internal/host/deciding/again.go",
			Edits: edit("\tcase m.Redriven() ||", "\tcase m.Redriven() && t.Running.Creating ||"),
		},
		{
			Name:  "a redrive looks at the current execution alone",
			Rare:  true,
			Bias:  "dead letters",
			Bug:   "What a redriven message left open is not sent again when the instance has continued as new since.",
			File:  "internal/host/resending/resending.go",
			Edits: edit("for n := r.furthest(since);", "for n := max(r.execution, r.furthest(since));"),
		},
		{
			Name:  "a wake that comes back goes on with nothing",
			Bias:  "short invocations",
			Bug:   "A wake whose turn has continued as new and died is late when it comes back, and what follows is left to nobody.",
			File:  "internal/host/deciding/wake.go",
			Edits: edit("w.run || !t.swept()", "w.run || !t.swept() && m.Item.ExecutionID == t.Running.Execution"),
			Rare:  true,
		},
		{
			Name:  "a hop makes a message new",
			Rare:  true,
			Bug:   "A message that was handled before and goes on through another queue counts as never seen.",
			File:  "internal/host/inbox/desk.go",
			Edits: edit("	case m.Attributes[wire.RedriveAttribute] != \"\":\n		mark = m.Attributes[wire.RedriveAttribute]\n	case m.Redriven():", "	case m.Redriven() && m.State != Unsettled:"),
		},
	}
}

// messageMutations are of what becomes of single messages.
func messageMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a start keeps its events to itself",
			Bug:   "The events of a start that uses the instance which has its id are dropped.",
			File:  "internal/host/deciding/take.go",
			Edits: edit("r.pending = append(append(r.pending, t.brought(m)...), m)", "r.pending = append(r.pending, m)"),
		},
		{
			Name:  "a start is done before its events",
			Bug:   "A start that uses an instance is acknowledged although the commit of its events failed.",
			File:  "internal/host/deciding/take.go",
			Edits: edit("r.pending = append(append(r.pending, t.brought(m)...), m)", "if b := t.brought(m); len(b) > 0 {\n\t\t\t\tr.pending = append(r.pending, b...)\n\t\t\t\tp.settle(m, \"exists\")\n\t\t\t\tcontinue\n\t\t\t}\n\t\t\tr.pending = append(r.pending, m)"),
		},
		{
			Name:  "timers are asked for too late",
			Bug:   "What is due later is asked for five minutes behind its time.",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("	out.timed(timer.Schedule{Name: timer.Name(c.Instance, c.ExecutionID, e.EventID), Due: due,", "	out.timed(timer.Schedule{Name: timer.Name(c.Instance, c.ExecutionID, e.EventID), Due: due.Add(5 * time.Minute),"),
		},
		{
			Name:  "a timer that is early fires",
			Bug:   "A timer's message is taken before its time.",
			File:  "internal/host/inbox/admit.go",
			Edits: edit("early := bounded && due.After(now)", "early := bounded && due.IsZero()"),
		},
		{
			Name:  "the door is lost behind",
			Bug:   "A message of a standard queue is acknowledged though it could not be sent on.",
			File:  "internal/host/inbox/desk.go",
			Edits: edit("	if err != nil {\n		return fmt.Errorf(\"host: %s for instance %q not sent on", "	if err != nil && ctx.Err() != nil {\n		return fmt.Errorf(\"host: %s for instance %q not sent on"),
		},
		{
			Name:  "an event that is early is dropped",
			Bug:   "An event for an instance that has not started is acknowledged.",
			File:  "internal/host/deciding/without.go",
			Edits: edit("t.early(p, m)", "p.settle(m, \"unknown_instance\")"),
		},
		{
			Name:  "lost work is nobody's",
			Bug:   "An activity that died on every delivery is acknowledged, and its orchestration waits forever.",
			File:  "internal/host/worker/begin.go",
			Edits: edit("if mark.Deaths >= w.Settings.Attempt.DeathLimit {", "if mark.Deaths >= w.Settings.Attempt.DeathLimit {\n\t\treturn &answer{}, nil\n\t}\n\tif mark.Deaths < 0 {"),
		},
		{
			Name:  "receives count as deaths",
			Bug:   "An attempt that came back often is given up as lost, though no process died of it.",
			File:  "internal/host/worker/begin.go",
			Edits: edit("Until: now.Add(p.Limit.Timeout)}\n\tif found", "Until: now.Add(p.Limit.Timeout), Deaths: t.ReceiveCount - w.Settings.SuspectReceives}\n\tif found"),
			Bias:  "outages",
		},
		{
			Name:  "what was received too often is dropped",
			Bug:   "An attempt that SQS took from the activity queue after its last receive is acknowledged.",
			File:  "internal/host/inbox/admit.go",
			Edits: edit("return d.sendAnew(ctx, m)", "m.State = Settled\n\t\treturn nil"),
		},
		{
			Name:  "nothing goes back behind a failure",
			Bug:   "What stands behind a failure in its group is acknowledged or handled out of order.",
			File:  "internal/host/inbox/desk.go",
			Edits: edit("if behind && m.State != Failed {", "if behind && m.State == Unsettled {"),
		},
	}
}
