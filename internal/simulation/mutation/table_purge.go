package mutation

// purgeMutations are bugs of purges, and of ids after a purge.
func purgeMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a purged id restarts with its old execution number",
			Bug:   "A new start of a purged id reuses an execution number.",
			File:  "internal/host/deciding/load.go",
			Edits: edit("return r.Next(start.Item.ID), Starts", "return r.ExecutionID, Starts"),
		},
		{
			Name:  "a repeated start of an earlier run restarts the instance",
			Bug:   "Only the last start that started a run is known, so a repeat of an earlier one starts another run.",
			Bias:  "purges",
			File:  "store/record.go",
			Edits: edit("return r.StartID == id || slices.Contains(r.EarlierStarts, id)", "return r.StartID == id"),
		},
		{
			Name:  "an instance restarts with its old execution number",
			Bug:   "The start that restarts an instance uses the number of the ended execution.",
			Bias:  "purges",
			File:  "internal/host/deciding/restart.go",
			Edits: edit("Again: r.Next(m.Item.ID),", "Again: r.ExecutionID,"),
		},
		{
			Name:  "a running instance restarts",
			Bug:   "Neither the turn nor its conditional write checks that the instance has ended before a restart.",
			Bias:  "purges",
			File:  "internal/host/deciding/restart.go",
			Edits: edit("s.Running.Creating() || x != nil && !x.Ended() {", "s.Running.Creating() {"),
		},
		{
			Name:  "a tombstone does not reserve its id",
			Bug:   "Neither the turn nor its conditional write checks whether the id of a purged instance is free.",
			File:  "store/record.go",
			Edits: edit("return r.Purged && !r.FreeAt.After(now)", "return r.Purged"),
		},
		{
			Name:  "a turn ignores the tombstone",
			Bug:   "The turn runs a start of a purged id and fails to write it, repeatedly.",
			File:  "internal/host/deciding/load.go",
			Edits: edit("case start == nil || k.held():", "case start == nil:"),
		},
		{
			Name:  "a tombstone expires immediately",
			Bug:   "The id of a purged instance is free immediately.",
			File:  "internal/host/deciding/purge.go",
			Edits: edit("const IDHeld = wire.MaxAge + 24*time.Hour", "const IDHeld = 24*time.Hour - wire.MaxAge*0 - 24*time.Hour"),
		},
		{
			Name:  "a tombstone expires before the last message",
			Bug:   "The id of a purged instance is free while messages for the instance may still arrive.",
			File:  "internal/host/deciding/purge.go",
			Edits: edit("const IDHeld = wire.MaxAge + 24*time.Hour", "const IDHeld = wire.MaxAge - 24*time.Hour"),
		},
		{
			Name:  "a purge deletes an instance before it hides it",
			Bug:   "The history of an instance is deleted while its record still shows the instance.",
			File:  "internal/host/orchestrator/send.go",
			Edits: edit("\t\treturn a.scheduleDeletion(ctx, s.Deletion)\n", "\t\t_, err := a.tables.Store.DeleteHistory(ctx, s.Deletion.Instance, s.Deletion.ExecutionID, 0)\n\t\treturn err\n"),
		},
		{
			Name:  "a purge deletes the history immediately",
			Bug:   "The history of an instance is deleted as soon as it is hidden, so a stalled writer finds its position free again.",
			File:  "internal/host/orchestrator/send.go",
			Edits: edit("r.EndedAt.Add(a.settler.Settings.Purge.Grace)", "r.EndedAt"),
		},
		{
			Name:  "a parent is not notified of a purged id",
			Bug:   "A parent's start of a purged id is acknowledged, and the parent waits forever.",
			File:  "internal/host/deciding/exists.go",
			Edits: edit("\tp := tellRefused(m, \"purged_id\", taken(", "\tm.Item.Parent = nil\n\tp := tellRefused(m, \"purged_id\", taken("),
		},
		{
			Name:  "a redelivered purge resends nothing",
			Bias:  "purges",
			Bug:   "A refused purge is redelivered before the terminate behind it, which has ended the instance in a process that died before its dispatch. The purge hides the instance, and the end is never reported.",
			File:  "internal/host/deciding/load.go",
			Edits: edit("return m.Returning() || m.Item.Kind == wire.Wake || redrives(m) || !r.EndedAt.Before(earliest(m))", "return !m.Purges() && (m.Returning() || m.Item.Kind == wire.Wake || redrives(m) || !r.EndedAt.Before(earliest(m)))"),
			Rare:  true,
		},
		{
			Name:      "a purge of an ended instance resends nothing",
			Otherwise: "internal/host/deciding TestARedeliveredPurgeReportsAnEndThatAnotherProcessMade",
			Bias:      "duplicates+purges",
			Rare:      true,
			Bug:       "A process ends the instance and dies before its dispatch, and a purge received at about that time hides it: the end is never reported.",
			File:      "internal/host/deciding/again.go",
			Edits:     edit("return m.Purges() && x.Ended()", "return m.Purges() && !x.Ended()"),
		},
		{
			Name:  "a forced purge hides a running instance",
			Bug:   "A forced purge before its terminate hides a running instance as if its history were corrupt, and open operations continue.",
			Bias:  "purges",
			File:  "internal/host/deciding/purge.go",
			Edits: edit("	case !r.Status.Terminal():\n", "	case !r.Status.Terminal() && !m.Item.Force:\n"),
		},
	}
}
