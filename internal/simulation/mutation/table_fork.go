package mutation

// forkMutations are of instances that go on as others.
func forkMutations() []Mutation {
	const plan = "internal/redriving/redriving.go"
	return []Mutation{
		{
			Name:  "an instance does not know its forks",
			Bug:   "A fork begins, and nothing is noted in the record of the original.",
			Bias:  "forks",
			File:  "internal/host/orchestrator/forked.go",
			Edits: edit("if d == nil || t.First() > 1 {", "if d == nil || t.First() > 0 {"),
		},
		{
			Name:  "an instance that goes on forgets its forks",
			Bug:   "The record of the next run has none of the forks of the one before.",
			Bias:  "forks",
			File:  "internal/host/projection/project.go",
			Edits: edit("r.Forked, r.Forks = s.Record.Forked, s.Record.Forks", "r.Forked = s.Record.Forked"),
		},
		{
			Name:  "of two forks at one moment one is known",
			Bug:   "Two processes note forks in one record, and the later one takes the note of the other away.",
			Bias:  "forks",
			File:  "store/record.go",
			Edits: edit("	if r.Status.Terminal() {\n		c.If.Ended,", "	c.If.Forked = nil\n	if r.Status.Terminal() {\n		c.If.Ended,"),
		},
		{
			Name: "a fork beside the commit by which its original goes on is forgotten",
			Bug:  "The record of the next run replaces the one before, in which another process has just noted a fork.",
			Test: "internal/host/orchestrator TestO12AnInstanceKnowsItsForks",
			File: "internal/host/projection/project.go",
			Edits: []Edit{{"first, forked := s.Record.FirstExecution, s.Record.Forked", "first := s.Record.FirstExecution"},
				{", FirstExecution: &first, Forked: &forked}", ", FirstExecution: &first}"}},
		},
		{
			Name:  "a fork has the children of the original",
			Bug:   "What the original waits for is waited for by the fork: its own child is not another one.",
			Bias:  "forks",
			File:  "internal/redriving/fork.go",
			Edits: edit("anew && !e.ExplicitID:", "anew && !e.ExplicitID && e.ExplicitID:"),
		},
		{
			Name:  "who waits for the original waits for a fork",
			Bug:   "Parents that were attached to the original are told of the end of the fork.",
			Bias:  "forks",
			File:  "internal/redriving/fork.go",
			Edits: edit("case e.Kind == history.ParentAttached && e.Start != nil:", "case e.Kind == history.ParentAttached && e.Start == nil:"),
		},
		{
			Name:  "a fork keeps the parent",
			Bug:   "The fork of a child tells the parent of the original how it ended.",
			Bias:  "forks",
			File:  plan,
			Edits: edit("= r.ExecutionID, r.StartID, r.Parent, \"\", nil", "= r.ExecutionID, r.StartID, start.Parent, \"\", nil"),
		},
		{
			Name:  "what had failed keeps its key in a fork",
			Bug:   "An activity that has failed runs in the fork under the idempotency key under which it was refused.",
			Bias:  "forks",
			File:  plan,
			Edits: edit("		if unsure[id] {", "		if unsure[id] || forks {"),
		},
		{
			Name:  "what was open has a new key in a fork",
			Bug:   "An activity that was open runs in the fork under a key of its own place, and has its effect once more.",
			Bias:  "forks",
			File:  "internal/host/dispatch/taken_over.go",
			Edits: edit("Instance: cmp.Or(carried[i].Instance, start.Origin.Instance)", "Instance: cmp.Or(carried[i].Instance, \"\")"),
		},
		{
			Name:  "a fork of a fork has the keys of the first",
			Bug:   "What was open in the original, in its fork, and is in the fork of that has a key of the first fork's place.",
			Bias:  "forks",
			File:  plan,
			Edits: edit("if c.Instance == \"\" && before.Instance != instance {", "if c.Instance != \"\" && before.Instance != instance {"),
		},
		{
			Name:  "the child of a fork goes on behind the round that completed it",
			Bug:   "A child that the fork waits for, and that had completed in the original, takes over all but its end, with which its code disagrees.",
			Bias:  "forks",
			File:  plan,
			Edits: edit("begin = lastRound(events[:n-1])", "begin = n - 1"),
		},
		{
			Name:  "a fork that is refused is acknowledged",
			Bug:   "The start of a fork that cannot be made is gone, and nobody is told why.",
			Bias:  "forks",
			File:  "internal/host/deciding/redrive.go",
			Edits: edit("	} else if forks(m) {\n", "	} else if forks(m) {\n		p.settle(m, \"redrive_refused\")\n	} else if forks(m) {\n"),
		},
		{
			Name:  "a fork without an event begins anew",
			Bug:   "A fork that names no event runs all of its code again, as a start does.",
			Bias:  "forks",
			File:  "internal/host/deciding/fork.go",
			Edits: edit("o.Instance != \"\" && o.Instance != m.Item.Instance", "o.Instance != \"\" && o.Instance != m.Item.Instance && o.EventID > 0"),
		},
		{
			Name:  "the child of a fork begins anew",
			Bug:   "A child whose id was derived runs from the beginning in the fork, and what it had completed runs again.",
			Bias:  "forks",
			File:  "internal/host/dispatch/taken_over.go",
			Edits: edit("wire.ConflictRefuse, &history.Origin{Instance: e.ForkOf}", "wire.ConflictRefuse, nil"),
		},
		{
			Name:  "a fork leaves out what has come since",
			Bug:   "Results and events behind the place at which a fork goes on are not taken over.",
			Bias:  "forks",
			File:  plan,
			Edits: edit("case e.Kind == history.ExternalEvent:\n", "case e.Kind == history.ExternalEvent && !forks:\n"),
		},
		{
			Name:  "a fork is made of what runs as if it had failed",
			Bug:   "The fork of an instance that runs goes back to an earlier failure, which its code has dealt with.",
			Bias:  "forks",
			File:  "internal/redriving/fork.go",
			Edits: edit("EventID: int64(n) + 1, Imposed: history.ImposedTerminated}", "EventID: int64(n) + 1}"),
		},
	}
}
