package mutation

// orderMutations perform the right actions too late, too early, or not for all
// instances.
func orderMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a handler does not hide its messages",
			Bug:   "A handler assumes that the messages of a batch are hidden for as long as it runs, however long ago they were received.",
			File:  "internal/host/lease/lease.go",
			Edits: edit("case !held[i].Until.Before(need):", "case !held[i].Until.Before(need), need.After(now):"),
		},
		{
			Name:  "a renewal with an old receipt is trusted",
			Rare:  true,
			Bug:   "A worker extends the visibility of an attempt's message that may have expired, and starts if the standard queue accepts the old receipt handle, though another worker has the message.",
			File:  "internal/host/lease/lease.go",
			Edits: []Edit{{"\t\t\theld[i].Lost = true\n\t\tdefault:", "\t\t\trenewed, at = append(renewed, m), append(at, i)\n\t\tdefault:"}, {"known && !q.FIFO() &&", "known && !q.FIFO() && q == nil &&"}},
		},
		{
			Name:  "a refused renewal counts as renewed",
			Bug:   "A handler treats messages as hidden though the queue refused to extend their visibility.",
			File:  "internal/host/lease/lease.go",
			Edits: edit("if err := failed[n]; err != nil {", "if err := failed[n]; err != nil && len(failed) < 0 {"),
		},
		{
			Name:  "a group continues after a message that was not processed",
			Rare:  true,
			Bug:   "Messages behind one that could not be extended or verified are recorded before it.",
			File:  "internal/host/inbox/admit.go",
			Edits: edit("if fifo && (m.State == Failed || ", "if fifo && (m.State == Failed && len(deliveries) > 100 || "),
		},
		{
			Name:  "a repeated purge schedules no deletion",
			Bug:   "A deletion that was lost with its schedule is not scheduled again by a repeated purge.",
			Bias:  "purges",
			File:  "internal/host/deciding/purge.go",
			Edits: edit("\t\tp.Send.Deletion = &again\n", "\t\tagain.Purged = true\n"),
		},
		{
			Name:  "code that returns a terminated error ends as terminated",
			Bug:   "An instance whose code returns the error of a terminated child ends as terminated itself.",
			File:  "engine/ending.go",
			Edits: edit("!cancelled || f.Kind == history.FailureTerminated {", "!cancelled {"),
		},
		{
			Name:  "a retry is due after the total timeout",
			Bug:   "An activity whose total timeout has expired fails only when its next attempt is due.",
			File:  "internal/host/attempt/next.go",
			Edits: edit("if due.After(end) {", "if due.Before(now) {"),
		},
		{
			Name:  "an attempt is sent again after the total timeout",
			Rare:  true,
			Bug:   "An activity whose attempt was received too often fails by its total timeout only when the attempt is due again.",
			File:  "internal/host/inbox/admit.go",
			Edits: edit("bounded && due.After(end) {", "bounded && due.Before(now) {"),
		},
		{
			Name:  "a retry waits for half of its delay",
			Bug:   "A retry starts sooner than its policy says.",
			File:  "internal/host/attempt/next.go",
			Edits: edit("		delay = &d\n", "		d /= 2\n		delay = &d\n"),
		},
		{
			Name:  "a retry with a total timeout has no delay",
			Bug:   "A retry starts immediately if the activity has a total timeout.",
			File:  "internal/host/attempt/next.go",
			Edits: edit("		if due.After(end) {\n			due = end\n		}\n", "		due = now\n		_ = end\n"),
		},
		{
			Name:  "a retry's delay ends at the queue's maximum",
			Bug:   "An attempt that is due in several hours runs when its message is received first.",
			File:  "internal/host/worker/take.go",
			Edits: edit("item.NotBeforeMS > 0 && due.After(now) {", "item.NotBeforeMS > 0 && due.After(now) && item.Kind == \"\" {"),
		},
		{
			Name:  "an attempt that is sent again loses its delay",
			Rare:  true,
			Bug:   "An attempt that waits for hours runs within minutes if its queue has given up its message.",
			File:  "internal/host/inbox/admit.go",
			Edits: edit("item.NotBeforeMS > 0 && at.After(due) {", "item.NotBeforeMS > 0 && at.Before(now) {"),
		},
		{
			Name:  "a sweep is one short",
			Bug:   "The last of the problems that are due gets no wake.",
			File:  "internal/host/sweep/sweep.go",
			Edits: edit("if err := s.sendWakes(ctx, due); err != nil {", "if err := s.sendWakes(ctx, due[:max(1, len(due)-1)]); err != nil {"),
		},
		{
			Name:  "losers are cancelled in the order of arguments",
			Bug:   "The losers of a select are cancelled in the order of its arguments.",
			File:  "engine/select.go",
			Edits: edit("	slices.SortFunc(losers, func(a, b *Future) int {\n", "	slices.SortStableFunc(losers, func(a, b *Future) int {\n		if a != nil {\n			return 0\n		}\n"),
		},
		{
			Name:  "a claim is settled before the result",
			Rare:  true,
			Bug:   "A process that dies after its attempt has recorded that the attempt is over, and nothing of what follows from it.",
			File:  "internal/host/worker/take.go",
			Edits: edit("	err := w.finish(ctx, t, result)\n	if err == nil {\n		w.settleClaim(ctx, t, p.claim, result)\n	}\n	return err", "	w.settleClaim(ctx, t, p.claim, result)\n	return w.finish(ctx, t, result)"),
		},
		{
			Name:  "an unfinished message is deleted",
			Bug:   "A late batch deletes a message that should return to the queue.",
			File:  "internal/host/inbox/release.go",
			Edits: edit("turns == 0 && r.settled(m.Group) && ", "turns == 0 && "),
		},
		{
			Name:  "a group is processed in reverse",
			Bug:   "The messages of an instance in one batch are recorded in another order than that of their queue.",
			File:  "internal/host/deciding/group.go",
			Edits: edit("m.Place = len(g.Messages)", "m.Place = -len(g.Messages)"),
		},
		{
			Name:  "a start overtakes events before it",
			Bug:   "The events of a start of an existing instance are recorded before earlier events of the same client in the batch.",
			File:  "internal/host/deciding/decide.go",
			Edits: edit("		t.inOrder()\n", ""),
		},
		{
			Name:  "a cancel overtakes events before it",
			Bug:   "A client's cancel is recorded before earlier events of the same client in the batch.",
			File:  "internal/host/deciding/take.go",
			Edits: edit("if m == first {", "if m == first || m.Item.Kind == wire.CancelInstance {"),
		},
		{
			Name: "a terminate overtakes events before it",
			Bug:  "The earlier events of a client in the batch of its terminate are not recorded.",
			File: "internal/host/deciding/group.go",
			Edits: edit("boolInt(goesFirst(b)) - boolInt(goesFirst(a))",
				"boolInt(goesFirst(b) || b.Item.Kind == wire.TerminateInstance) - boolInt(goesFirst(a) || a.Item.Kind == wire.TerminateInstance)"),
		},
		{
			Name:  "continue-as-new does not write the states",
			Bug:   "The record has the old states until the next execution sets another.",
			File:  "internal/host/projection/project.go",
			Edits: edit("	if s.statusDiffers(d) {", "	if s.statusDiffers(d) && len(d.Next) == 0 {"),
		},
		{
			Name:  "states are written only at the end",
			Bug:   "The record of a running instance has the states with which it started.",
			File:  "internal/host/projection/project.go",
			Edits: edit("	if s.statusDiffers(d) {", "	if end := d.End(); end != nil && end.Forced == \"\" || s.statusDiffers(d) && (s.Starts.Creating || len(d.Next) > 0) {"),
		},
	}
}
