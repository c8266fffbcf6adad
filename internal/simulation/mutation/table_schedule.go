package mutation

// scheduleMutations are of schedules, and of what is purged by its retention.
func scheduleMutations() []Mutation {
	return []Mutation{
		{
			Name:  "ticks overlap",
			Bug:   "A tick starts its instance beside that of the tick before, whatever the overlap policy.",
			File:  "schedule/overlap.go",
			Edits: edit("if len(r.Running) == 0 || r.Definition.Overlap == Allow {", "if len(r.Running) >= 0 || r.Definition.Overlap == Allow {"),
		},
		{
			Name:  "a tick that waits is never started",
			Bug:   "A tick that was buffered stays so when nothing runs any more.",
			File:  "schedule/overlap.go",
			Edits: edit("if len(r.Running) > 0 || len(r.Buffered) == 0 || r.Paused {", "if len(r.Running) == 0 || len(r.Buffered) == 0 || r.Paused {"),
		},
		{
			Name:  "a paused schedule starts what waits",
			Bug:   "When an instance ends, a tick that has waited for it starts though the schedule is paused.",
			Bias:  "schedules",
			File:  "schedule/overlap.go",
			Edits: edit("len(r.Buffered) == 0 || r.Paused {", "len(r.Buffered) == 0 {"),
		},
		{
			Name:  "a tick that takes the place of another counts as none",
			Bug:   "Where the next tick cancels what runs, the one that has waited so far is not counted as missed.",
			Bias:  "schedules",
			File:  "schedule/overlap.go",
			Edits: edit("\t\tfor _, waiting := range r.Buffered {\n\t\t\tskip(waiting, ReasonOverlap)\n\t\t}\n", ""),
		},
		{
			Name:  "a schedule that terminates what runs cancels it",
			Bug:   "The two overlap policies that end what runs are mixed up.",
			Bias:  "schedules",
			File:  "schedule/overlap.go",
			Edits: edit("\t\tif r.Definition.Overlap == TerminateRunning {", "\t\tif r.Definition.Overlap != TerminateRunning {"),
		},
		{
			Name:  "what runs is forgotten by the next execution of its schedule",
			Bug:   "A schedule that has continued as new waits for nothing that the execution before has started.",
			Bias:  "schedules",
			File:  "schedule/orchestration.go",
			Edits: edit("	for i := range r.Running {\n", "	r.Running = nil\n	for i := range r.Running {\n"),
		},
		{
			Name:  "late ticks are caught up, whatever the policy",
			Bug:   "After an outage all ticks of it are started.",
			File:  "schedule/tick.go",
			Edits: edit("d.CatchUp == CatchUpAll && late <= d.Window:", "late <= d.Window || late > 0:"),
		},
		{
			Name:  "no late tick is caught up",
			Bug:   "After an outage the newest of its ticks is missed like the others.",
			File:  "schedule/tick.go",
			Edits: edit("		case d.CatchUp == CatchUpLast:\n", "		case d.CatchUp == CatchUpLast && late < 0:\n"),
		},
		{
			Name:  "a late tick is caught up beside one on time",
			Bug:   "The newest of the late ticks is started though another is due on time.",
			Bias:  "schedules",
			File:  "schedule/tick.go",
			Edits: edit("		miss(last) // A newer one is on time.\n", "		out.Start = append([]time.Time{last}, out.Start...)\n"),
		},
		{
			Name:  "a span of missed ticks counts one",
			Bug:   "Of the ticks of an outage one is counted.",
			File:  "schedule/tick.go",
			Edits: edit("out.Missed.Ticks+1\n", "1\n"),
		},
		{
			Name:  "a tick is named after the time at which it is taken",
			Bug:   "The id of what a tick starts is another each time that the tick is taken.",
			File:  "schedule/overlap.go",
			Edits: edit("return r.start(ctx, now, tick, tickID(r.Definition.Name, tick))\n\t}\n\tswitch", "return r.start(ctx, now, tick, tickID(r.Definition.Name, now))\n\t}\n\tswitch"),
		},
		{
			Name:  "a paused schedule is due",
			Bug:   "A schedule that is paused starts its ticks.",
			File:  "schedule/orchestration.go",
			Edits: edit("r.Next = (time.Time{}); r.Paused || r.Deleted {", "r.Next = (time.Time{}); r.Deleted {"),
		},
		{
			Name:  "a deleted schedule is due",
			Bug:   "A schedule that is deleted starts its ticks.",
			File:  "schedule/orchestration.go",
			Edits: edit("r.Next = (time.Time{}); r.Paused || r.Deleted {", "r.Next = (time.Time{}); r.Paused {"),
		},
		{
			Name:  "what a schedule starts ends with its execution",
			Bug:   "A schedule that continues as new, or ends, cancels what it has started.",
			Bias:  "schedules",
			File:  "schedule/overlap.go",
			Edits: edit(", turnstile.ParentClosePolicy(turnstile.Abandon))", ", turnstile.ParentClosePolicy(turnstile.Cancel))"),
		},
		{
			Name:  "what runs is started anew by the next execution of its schedule",
			Bug:   "A schedule that has continued as new takes what it has started for somebody else's.",
			Bias:  "schedules",
			File:  "schedule/overlap.go",
			Edits: edit("turnstile.InstanceID(instance), turnstile.UseExisting(), ", "turnstile.InstanceID(instance), "),
		},
		{
			Name:  "a purge is sent ahead of its archive",
			Bug:   "An instance is purged by its retention though the archive has refused it.",
			Bias:  "schedules",
			File:  "internal/host/sweep/ended.go",
			Edits: edit("if due = p.s.archive(ctx, due); len(due) == 0 {", "if _ = p.s.archive(ctx, due); len(due) == 0 {"),
		},
		{
			Name:  "an archive has the last execution alone",
			Bug:   "Of an instance that has continued as new the archive gets its last execution, and all are purged.",
			File:  "internal/host/sweep/archive.go",
			Edits: edit("for n := max(r.FirstExecution, 1); n <= r.ExecutionID; n++ {", "for n := r.ExecutionID; n <= r.ExecutionID; n++ {"),
		},
		{
			Name:  "a child is purged while its parent runs",
			Bug:   "An instance is purged by its retention while the execution runs that has started it.",
			File:  "internal/host/sweep/ended.go",
			Edits: edit("	return !waits, nil\n", "	return !waits || parent.Purged || r.Parent != nil, nil\n"),
		},
		{
			Name:  "an end counts as kept long enough",
			Bug:   "A sweep purges what has ended, however long ago.",
			Bias:  "schedules",
			File:  "internal/host/sweep/ended.go",
			Edits: edit("if at := r.EndedAt.Add(keep); at.After(p.now) {", "if at := r.EndedAt; at.After(p.now) {"),
		},
		{
			Name:  "what cannot be read counts as archived",
			Rare:  true,
			Bug:   "An instance with a damaged history is purged by its retention, and the archive has nothing of it.",
			Bias:  "damages",
			File:  "internal/host/sweep/archive.go",
			Edits: edit("ok && bad.lost && !found && n < r.ExecutionID {", "ok && (bad.lost || !found || n > 0) {"),
		},
	}
}
