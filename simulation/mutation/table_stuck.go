package mutation

// stuckMutations are of instances that are stuck, of wakes and of suspects.
func stuckMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a wake counts whatever its stamp",
			Bug:   "A wake that was sent for an earlier mark tries again, so that each duplicate moves the mark.",
			File:  "host/orchestrator/wake.go",
			Edits: edit("t.Problem() != nil && stamp == t.Record.Stamp:", "t.Problem() != nil && stamp <= t.Record.Stamp:"),
		},
		{
			Name:  "a wake that comes back is dropped for its stamp",
			Rare:  true,
			Bias:  "late commits",
			Bug:   "A wake that comes back and finds another mark than the one it names does nothing, though its process may have died in the middle of what the wake was for.",
			File:  "host/orchestrator/wake.go",
			Edits: edit("		case m.Returning(), t.Problem() != nil &&", "		case t.Problem() != nil &&"),
		},
		{
			Name:  "a mark demands no stamp",
			Bug:   "A mark replaces whatever mark is there, that of another process too.",
			File:  "host/internal/projection/project.go",
			Edits: edit("		c.If.Stamp = &read\n", "		_ = read\n"),
		},
		{
			Name:  "a recovery demands no stamp",
			Bug:   "A recovery that lands late clears a mark that was set since, with what was parked behind it.",
			File:  "host/internal/projection/project.go",
			Edits: edit("c.Status, c.Problem, c.Stamp, c.If.Stamp = &status, &problem, &next, &read", "_, c.Status, c.Problem, c.Stamp = read, &status, &problem, &next"),
		},
		{
			Name:  "an end demands no stamp",
			Bug:   "An end that lands late, when another process has marked the instance and its messages are gone, is dispatched by nobody.",
			File:  "host/internal/projection/project.go",
			Edits: edit("	read := s.Record.Stamp\n	c.If.Stamp = &read\n", ""),
		},
		{
			Name:  "a message without a fact clears a mark",
			Rare:  true,
			Bias:  "late marks",
			Bug:   "A message that leaves no event clears the mark. Where that lands late, arrivals are parked by then behind a mark that nobody has moved.",
			File:  "host/internal/projection/project.go",
			Edits: edit("case s.Ran && (len(d.Events) > 0 || s.Try):", "case s.Ran:"),
		},
		{
			Name:  "a wake leaves the mark where it is",
			Rare:  true,
			Bug:   "A wake that finds its instance stuck for the same reason does not move the mark, so that a clear of the process before it still lands.",
			File:  "host/internal/projection/project.go",
			Edits: edit("if before == nil || s.Try {", "if before == nil {"),
			Bias:  "late commits",
		},
		{
			Name:  "the sweeper wakes nobody",
			Bug:   "A sweep looks at what is stuck and due, and sends no wake.",
			File:  "host/internal/sweep/sweep.go",
			Edits: edit("	return !time.UnixMilli(p.NextMS).After(now) || p.Build != s.Build", "	return p.Kind == store.ProblemCorrupt"),
		},
		{
			Name:  "the sweeper wakes again and again",
			Bug:   "Each sweep sends a wake for a mark, though the one before is not handled yet, so that they pile up where an instance can't be reached.",
			File:  "host/internal/sweep/sweep.go",
			Edits: edit("p.Kind == store.ProblemCorrupt || p.WokenMS > 0 &&", "p.Kind == store.ProblemCorrupt || s.Build == \"-\" && p.WokenMS > 0 &&"),
		},
		{
			Name:  "a note of a wake demands no stamp",
			Bug:   "The note that a wake was sent lands behind a recovery, or in a mark that the wake is not for.",
			File:  "host/internal/sweep/sweep.go",
			Edits: edit("Running: true, Stamp: &r.Stamp}", "Running: true}"),
		},
		{
			Name:  "suspects run beside others",
			Bug:   "A group that is suspected of killing its process is run side by side with the others of its batch, which then look as guilty.",
			File:  "host/orchestrator/orchestrator.go",
			Edits: edit("		limit = 1\n", "		limit = max(limit, 1)\n"),
		},
		{
			Name:  "a neighbour is the killer",
			Bug:   "An instance that bears the mark of one message is stuck as killed by another.",
			File:  "host/orchestrator/suspect.go",
			Edits: edit("if id != \"\" && slices.ContainsFunc(t.group.messages, func(m *inbox.Message) bool { return m.ID == id && m.Returning() }) {", "if id != \"\" && !slices.ContainsFunc(t.group.messages, func(m *inbox.Message) bool { return m == nil }) {"),
		},
		{
			Name:  "one mark makes a killer",
			Rare:  true,
			Bug:   "A message that finds its first mark is the killer, though the answer to that mark may have been lost and nothing been run.",
			File:  "host/orchestrator/suspect.go",
			Edits: edit("		case second:\n", "		case second || t.mark != \"\":\n"),
		},
		{
			Name:  "a duplicate clears a mark",
			Rare:  true,
			Bug:   "A message whose fact the history has clears a mark. Another process may be done with that message, so that nobody sends what the commit asks for if the process dies.",
			File:  "host/orchestrator/advance.go",
			Edits: edit("if t.swept() && !w.run && ", "if t.swept() && t.warm && "),
		},
		{
			Name:  "a start overtakes a purge",
			Bug:   "A start behind a purge of nothing in one batch is taken first, and what it begins is purged.",
			File:  "host/orchestrator/group.go",
			Edits: edit("startsFirst(g.messages[behind:])", "startsFirst(g.messages)"),
		},
		{
			Name:  "a suspect's mark stays",
			Bug:   "A turn that returned does not take its mark back.",
			File:  "host/orchestrator/turn.go",
			Edits: edit("t.clearSuspect(ctx, err != nil)", "_ = ctx"),
		},
	}
}
