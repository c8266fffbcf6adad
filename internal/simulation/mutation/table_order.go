package mutation

// orderMutations do what is right, too late, too early, or not for all.
func orderMutations() []Mutation {
	return []Mutation{
		{
			Name:  "the door holds nothing",
			Bug:   "A handler takes the messages of a batch for its own for as long as it runs, however long ago they were received.",
			File:  "internal/host/lease/lease.go",
			Edits: edit("case !held[i].Until.Before(need):", "case !held[i].Until.Before(need), need.After(now):"),
		},
		{
			Name:  "an old receipt that renews is believed",
			Rare:  true,
			Bug:   "A worker tries to keep an attempt's message when its visibility may be over, and begins where the standard queue takes the old receipt, though another worker has the message.",
			File:  "internal/host/lease/lease.go",
			Edits: []Edit{{"\t\t\theld[i].Lost = true\n\t\tdefault:", "\t\t\trenewed, at = append(renewed, m), append(at, i)\n\t\tdefault:"}, {"known && !q.FIFO() &&", "known && !q.FIFO() && q == nil &&"}},
		},
		{
			Name:  "a renewal that is refused has happened",
			Bug:   "A handler takes messages for its own that the queue would not keep for it.",
			File:  "internal/host/lease/lease.go",
			Edits: edit("if err := failed[n]; err != nil {", "if err := failed[n]; err != nil && len(failed) < 0 {"),
		},
		{
			Name:  "a group goes on behind a message that was not taken",
			Rare:  true,
			Bug:   "What stands behind a message that could not be moved or proved is recorded ahead of it.",
			File:  "internal/host/inbox/admit.go",
			Edits: edit("if fifo && (m.State == Failed || ", "if fifo && (m.State == Failed && len(deliveries) > 100 || "),
		},
		{
			Name:  "a purge of what is purged schedules nothing",
			Bug:   "A deletion that was lost with its schedule is not scheduled again when somebody purges again.",
			Bias:  "purges",
			File:  "internal/host/deciding/purge.go",
			Edits: edit("\t\tp.Send.Deletion = &again\n", "\t\tagain.Purged = true\n"),
		},
		{
			Name:  "code ends as terminated",
			Bug:   "An instance whose code returns the error of a child that was terminated is terminated itself.",
			File:  "engine/ending.go",
			Edits: edit("!cancelled || f.Kind == history.FailureTerminated {", "!cancelled {"),
		},
		{
			Name:  "a retry is due behind the time of all attempts",
			Bug:   "An activity that is out of time fails for that only when its next attempt is due.",
			File:  "internal/host/attempt/next.go",
			Edits: edit("if due.After(end) {", "if due.Before(now) {"),
		},
		{
			Name:  "an attempt is sent anew behind the time of all attempts",
			Rare:  true,
			Bug:   "An activity whose attempt was received too often fails for its time only when the attempt is due again.",
			File:  "internal/host/inbox/admit.go",
			Edits: edit("bounded && due.After(end) {", "bounded && due.Before(now) {"),
		},
		{
			Name:  "a retry waits for half of its delay",
			Bug:   "An attempt that follows is made sooner than its policy says.",
			File:  "internal/host/attempt/next.go",
			Edits: edit("		delay = &d\n", "		d /= 2\n		delay = &d\n"),
		},
		{
			Name:  "a retry with a time for all attempts waits for nothing",
			Bug:   "An attempt that follows is made at once, where all attempts together have a time.",
			File:  "internal/host/attempt/next.go",
			Edits: edit("		if due.After(end) {\n			due = end\n		}\n", "		due = now\n		_ = end\n"),
		},
		{
			Name:  "a retry waits no longer than a queue can",
			Bug:   "An attempt that is due after hours is made when its message is received first.",
			File:  "internal/host/worker/take.go",
			Edits: edit("item.NotBeforeMS > 0 && due.After(now) {", "item.NotBeforeMS > 0 && due.After(now) && item.Kind == \"\" {"),
		},
		{
			Name:  "an attempt that is sent anew waits for nothing more",
			Rare:  true,
			Bug:   "An attempt whose message its queue gave up while it waited for hours is made within minutes.",
			File:  "internal/host/inbox/admit.go",
			Edits: edit("item.NotBeforeMS > 0 && at.After(due) {", "item.NotBeforeMS > 0 && at.Before(now) {"),
		},
		{
			Name:  "a sweep is one short",
			Bug:   "Of the marks that are due the last gets no wake.",
			File:  "internal/host/sweep/sweep.go",
			Edits: edit("if err := s.sendWakes(ctx, due); err != nil {", "if err := s.sendWakes(ctx, due[:max(1, len(due)-1)]); err != nil {"),
		},
		{
			Name:  "losers are cancelled in the order of arguments",
			Bug:   "The losers of a select are cancelled in the order in which the code gave them.",
			File:  "engine/select.go",
			Edits: edit("	slices.SortFunc(losers, func(a, b *Future) int {\n", "	slices.SortStableFunc(losers, func(a, b *Future) int {\n		if a != nil {\n			return 0\n		}\n"),
		},
		{
			Name: "a claim is settled ahead of the result",
			Rare: true,
			Bug:  "A process that dies behind its attempt leaves word that the attempt is over, and nothing of what follows from it.",
			File: "internal/host/worker/take.go",
			Edits: edit("	if err = w.finish(ctx, t, &result); err == nil {\n		w.settleClaim(ctx, t, p.claim, &result)\n	}\n",
				"	w.settleClaim(ctx, t, p.claim, &result)\n	err = w.finish(ctx, t, &result)\n"),
		},
		{
			Name:  "a message is released that was not settled",
			Bug:   "A batch that is late deletes a message that is to be handed back.",
			File:  "internal/host/inbox/release.go",
			Edits: edit("turns == 0 && r.settled(m.Group) && ", "turns == 0 && "),
		},
		{
			Name:  "a group is taken from its end",
			Bug:   "The messages of an instance that stand in one batch are recorded in another order than that of their queue.",
			File:  "internal/host/deciding/group.go",
			Edits: edit("m.Place = len(g.Messages)", "m.Place = -len(g.Messages)"),
		},
		{
			Name:  "a start overtakes what stands before it",
			Bug:   "The events of a start that finds its instance are recorded before those that the same client sent earlier, where one batch has them.",
			File:  "internal/host/deciding/take.go",
			Edits: edit("		t.inOrder()\n", ""),
		},
		{
			Name:  "a cancel is taken ahead of what stands before it",
			Bug:   "A client's cancel is recorded ahead of the events that it sent before, where one batch has them.",
			File:  "internal/host/deciding/take.go",
			Edits: edit("if m == first {", "if m == first || m.Item.Kind == wire.CancelInstance {"),
		},
		{
			Name: "a terminate is taken ahead of what stands before it",
			Bug:  "The events that a client sent before its terminate are not recorded, where one batch has them.",
			File: "internal/host/deciding/group.go",
			Edits: edit("boolInt(goesFirst(b)) - boolInt(goesFirst(a))",
				"boolInt(goesFirst(b) || b.Item.Kind == wire.TerminateInstance) - boolInt(goesFirst(a) || a.Item.Kind == wire.TerminateInstance)"),
		},
		{
			Name:  "a status is not written where an execution goes over to the next",
			Bug:   "The record shows an old custom status until the next execution sets another.",
			File:  "internal/host/projection/project.go",
			Edits: edit("	if s.statusDiffers(d) {", "	if s.statusDiffers(d) && len(d.Next) == 0 {"),
		},
		{
			Name:  "a status is written where code ends alone",
			Bug:   "The record of an instance that runs shows the custom status with which it began.",
			File:  "internal/host/projection/project.go",
			Edits: edit("	if s.statusDiffers(d) {", "	if end := d.End(); end != nil && end.Imposed == \"\" || s.statusDiffers(d) && (s.Creating || len(d.Next) > 0) {"),
		},
	}
}
