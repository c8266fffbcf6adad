package mutation

// pruneMutations are bugs of pruning executions.
func pruneMutations() []Mutation {
	const keeper = "internal/host/sweep/prune.go"
	return []Mutation{
		{
			Name:  "an execution is pruned an hour after its end",
			Bug:   "Executions are pruned while messages of their time may still arrive.",
			Bias:  "prunes",
			File:  keeper,
			Edits: edit("Add(-max(endedFor, k.Settings.Purge.Grace))", "Add(-max(endedFor-endedFor, k.Settings.Purge.Grace))"),
		},
		{
			Name:  "an execution with a running child is pruned",
			Bug:   "The children of an execution are not checked before it is pruned.",
			Bias:  "prunes",
			File:  keeper,
			Edits: edit("		case !c.Purged && !c.Status.Terminal() && c.Parent != nil", "		case c.Purged && !c.Status.Terminal() && c.Parent != nil"),
		},
		{
			Name:  "one execution too few is kept",
			Bug:   "The first of the executions to be kept is pruned.",
			Bias:  "prunes",
			File:  keeper,
			Edits: edit("upTo <= r.ExecutionID-keep\n", "upTo <= r.ExecutionID-keep+1\n"),
		},
		{
			Name:  "an execution is pruned before it is archived",
			Bug:   "Executions that are not in the archive are pruned.",
			Bias:  "prunes",
			File:  keeper,
			Edits: edit("			if err = k.give(ctx, documentOf(turns)); err == nil {", "			if err == nil {"),
		},
		{
			Name:  "a redelivered prune deletes nothing",
			Rare:  true,
			Bug:   "A process dies after the change of the record, and its redelivered request finds nothing to prune.",
			Bias:  "prunes",
			File:  keeper,
			Edits: edit("	case !m.Returning() || first == 1:\n", "	default:\n"),
		},
		{
			Name:  "two prunes overwrite each other",
			Bug:   "The change that prunes executions does not check what another process has pruned meanwhile.",
			Bias:  "prunes+duplicates",
			File:  "store/record.go",
			Edits: edit("If: RecordCondition{Exists: true, FirstExecution: &found}, FirstExecution", "If: RecordCondition{Exists: found >= 0}, FirstExecution"),
		},
		{
			Name:  "the record does not say what was pruned",
			Bug:   "Executions are deleted, and the record still lists them.",
			Bias:  "prunes",
			File:  keeper,
			Edits: edit("		if err := k.Store.UpdateRecord(ctx, r.Instance, change); err != nil {", "		if err := ctx.Err(); change.Pruned != nil && err != nil {"),
		},
		{
			Name:  "a restart lists pruned executions",
			Bug:   "The next run of an instance lists its first execution, which was pruned.",
			Bias:  "prunes",
			File:  "internal/host/projection/project.go",
			Edits: edit("r.FirstExecution, r.Pruned, r.EarlierStarts, r.Stamp = s.Record.FirstExecution, s.Record.Pruned,", "r.FirstExecution, r.Pruned, r.EarlierStarts, r.Stamp = 1, 0,"),
		},
		{
			Name:  "the deletion of an instance that ended long ago is too old",
			Bug:   "The deletion that a purge requests carries the time of the instance's end; if that was weeks ago, the deletion is not applied.",
			Bias:  "prunes",
			File:  "internal/host/orchestrator/send.go",
			Edits: edit("	if due.Before(now) {\n", "	if due.Before(now) && due.After(now) {\n"),
		},
	}
}
