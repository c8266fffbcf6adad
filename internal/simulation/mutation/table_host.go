package mutation

import "slices"

// hostMutations break the protocol of a turn.
func hostMutations() []Mutation {
	return slices.Concat(commitMutations(), sharingMutations(), redeliveryMutations(), stuckMutations(), messageMutations(), purgeMutations(), redriveMutations(), suspendMutations(), inlineMutations())
}

// sharingMutations are bugs of calls that several callers share.
func sharingMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a shared call reports another message's result",
			Bug:   "Each sender that shares a call gets the results of the first messages, so one whose message was refused takes it for sent.",
			File:  "internal/host/sharing/sharing.go",
			Edits: edit("err := queue.ErrorOf(c.err, at+i)", "err := queue.ErrorOf(c.err, i)"),
			Bias:  "shared calls",
		},
		{
			Name:  "a shared call returns before it is made",
			Bug:   "A sender that joins a shared call treats it as made, and acknowledges messages that the call has not sent yet.",
			File:  "internal/host/sharing/sharing.go",
			Edits: edit("		clock.Await(s.clock, c.made, 0)\n", "		return nil\n"),
		},
	}
}

// messageMutations are bugs of the processing of single messages.
func messageMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a start of an existing instance drops its events",
			Bug:   "A start that uses an existing instance drops its events.",
			File:  "internal/host/deciding/round.go",
			Edits: edit("			r.arrive(r.k.brought(m)...)\n", ""),
		},
		{
			Name:  "a start is acknowledged before its events",
			Bug:   "A start that uses an existing instance is acknowledged although the commit of its events failed.",
			File:  "internal/host/deciding/round.go",
			Edits: edit("			r.arrive(r.k.brought(m)...)\n", "\t\t\tif b := r.k.brought(m); len(b) > 0 {\n\t\t\t\tr.arrive(b...)\n\t\t\t\tp.add(settle(m, \"exists\"))\n\t\t\t\tcontinue\n\t\t\t}\n"),
		},
		{
			Name:  "timer messages are requested five minutes late",
			Bug:   "A message that is due later is requested five minutes after its time.",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("	out.timed(timer.Schedule{Name: timer.Name(c.Instance, c.ExecutionID, e.EventID, e.AtMS), Due: due,", "	out.timed(timer.Schedule{Name: timer.Name(c.Instance, c.ExecutionID, e.EventID, e.AtMS), Due: due.Add(5 * time.Minute),"),
		},
		{
			Name:  "an early timer message fires",
			Bug:   "A timer's message is processed before its time.",
			File:  "internal/host/inbox/admit.go",
			Edits: edit("early := bounded && due.After(now)", "early := bounded && due.IsZero()"),
		},
		{
			Name:  "a standard queue message is acknowledged though it was not forwarded",
			Bug:   "A message of a standard queue is acknowledged though it could not be forwarded.",
			File:  "internal/host/inbox/receiver.go",
			Edits: edit("			err := to.Send(ctx, msgs...)\n", "			_ = to.Send(ctx, msgs...)\n			var err error\n"),
		},
		{
			Name:  "a partly refused forward acknowledges all messages",
			Bug:   "Some of the messages that one call forwards from a standard queue are refused, and all are acknowledged because the first was accepted.",
			Bias:  "shared calls",
			File:  "internal/host/inbox/receiver.go",
			Edits: edit("d.hopped(ctx, h, queue.ErrorOf(err, i))", "d.hopped(ctx, h, queue.ErrorOf(err, i*0))"),
		},
		{
			Name:  "an early event is dropped",
			Bug:   "An event for an instance that has not started is acknowledged.",
			File:  "internal/host/deciding/without.go",
			Edits: edit("	}\n	return a.early(m), nil\n", "	}\n	return settle(m, \"unknown_instance\"), nil\n"),
		},
		{
			Name:  "a lost activity is acknowledged",
			Bug:   "An activity whose process died on every delivery is acknowledged, and its orchestration waits forever.",
			File:  "internal/host/worker/start.go",
			Edits: edit("if record.Deaths >= w.Settings.Attempt.MaxCrashes {", "if record.Deaths >= w.Settings.Attempt.MaxCrashes {\n\t\treturn &answer{}, nil\n\t}\n\tif record.Deaths < 0 {"),
		},
		{
			Name:  "receives count as crashes",
			Bug:   "An attempt that was received often counts as lost, though no process died of it.",
			File:  "internal/host/worker/start.go",
			Edits: edit("Until: now.Add(p.Limit.Timeout)}\n\tif found", "Until: now.Add(p.Limit.Timeout), Deaths: t.ReceiveCount - w.Settings.SuspectReceives}\n\tif found"),
			Bias:  "outages",
		},
		{
			Name:  "an attempt that exceeds its receives is dropped",
			Bug:   "An attempt that SQS removed from the activity queue after its last receive is acknowledged.",
			File:  "internal/host/inbox/admit.go",
			Edits: edit("return nil, d.sendAnew(ctx, m)", "m.State = Settled\n\t\treturn nil, nil"),
		},
		{
			Name:  "messages behind a failure do not return",
			Bug:   "Messages behind a failure in their group are acknowledged or handled out of order.",
			File:  "internal/host/inbox/settler.go",
			Edits: edit("if behind && m.State != Failed {", "if behind && m.State == Unsettled {"),
		},
	}
}
