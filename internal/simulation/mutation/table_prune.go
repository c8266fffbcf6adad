package mutation

// pruneMutations are of executions that are pruned.
func pruneMutations() []Mutation {
	const keeper = "internal/host/sweep/prune.go"
	return []Mutation{
		{
			Name:  "an execution is pruned an hour after its end",
			Bug:   "Executions are pruned while messages of their time may still come.",
			Bias:  "prunes",
			File:  keeper,
			Edits: edit("Add(-max(endedFor, k.Settings.Purge.Grace))", "Add(-max(endedFor-endedFor, k.Settings.Purge.Grace))"),
		},
		{
			Name:  "an execution is pruned whose child runs",
			Bug:   "Nobody looks whether the children of an execution run that is pruned.",
			Bias:  "prunes",
			File:  keeper,
			Edits: edit("		case !c.Purged && !c.Status.Terminal() && c.Parent != nil", "		case c.Purged && !c.Status.Terminal() && c.Parent != nil"),
		},
		{
			Name:  "one execution too few is kept",
			Bug:   "Of the executions that are to be kept the first is pruned.",
			Bias:  "prunes",
			File:  keeper,
			Edits: edit("upTo <= r.ExecutionID-keep\n", "upTo <= r.ExecutionID-keep+1\n"),
		},
		{
			Name:  "an execution is pruned ahead of its archive",
			Bug:   "Executions are pruned that the archive does not have.",
			Bias:  "prunes",
			File:  keeper,
			Edits: edit("			if err = k.give(ctx, turns); err == nil {", "			if err == nil {"),
		},
		{
			Name:  "a prune that comes back deletes nothing",
			Rare:  true,
			Bug:   "A process dies behind the change of the record, and its request, received again, finds nothing to prune.",
			Bias:  "prunes",
			File:  keeper,
			Edits: edit("	case !m.Returning() || first == 1:\n", "	default:\n"),
		},
		{
			Name:  "two prunes do not see each other",
			Bug:   "The change by which executions are pruned is made whatever another has pruned meanwhile.",
			Bias:  "prunes+twins",
			File:  "store/record.go",
			Edits: edit("If: RecordCondition{Exists: true, FirstExecution: &found}, FirstExecution", "If: RecordCondition{Exists: found >= 0}, FirstExecution"),
		},
		{
			Name:  "the record does not say what was pruned",
			Bug:   "Executions are deleted, and the record says that they are there.",
			Bias:  "prunes",
			File:  keeper,
			Edits: edit("		if err := k.Store.UpdateRecord(ctx, r.Instance, change); err != nil {", "		if err := ctx.Err(); change.Pruned != nil && err != nil {"),
		},
		{
			Name:  "an instance that begins again has all its executions",
			Bug:   "The next run of an instance says that its first execution is there, which was pruned.",
			Bias:  "prunes",
			File:  "internal/host/projection/project.go",
			Edits: edit("r.FirstExecution, r.Pruned, r.EarlierStarts, r.Stamp = s.Record.FirstExecution, s.Record.Pruned,", "r.FirstExecution, r.Pruned, r.EarlierStarts, r.Stamp = 1, 0,"),
		},
		{
			Name:  "a deletion of what ended long ago is too old",
			Bug:   "The deletion that a purge asks for is as old as the end of its instance: where that is weeks ago, it is not applied.",
			Bias:  "prunes",
			File:  "internal/host/orchestrator/send.go",
			Edits: edit("	if due.Before(now) {\n", "	if due.Before(now) && due.After(now) {\n"),
		},
	}
}
