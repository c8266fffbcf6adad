package mutation

import "slices"

// hostMutations break the protocol of a turn.
func hostMutations() []Mutation {
	return slices.Concat(commitMutations(), sharingMutations(), redeliveryMutations(), stuckMutations(), messageMutations(), purgeMutations(), redriveMutations(), suspendMutations(), inlineMutations())
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
