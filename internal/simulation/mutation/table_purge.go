package mutation

// purgeMutations are of ids that live once.
func purgeMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a purged id begins with its old number",
			Bug:   "A new start of a purged id uses an execution number again.",
			File:  "internal/host/deciding/load.go",
			Edits: edit("return r.ExecutionID + 1, Begins", "return r.ExecutionID, Begins"),
		},
		{
			Name:  "a start of an earlier run begins the instance again",
			Bug:   "Of the starts by which an instance has begun only the last is known, so that the repeat of an earlier one begins another run.",
			Bias:  "purges",
			File:  "store/record.go",
			Edits: edit("return r.StartID == id || slices.Contains(r.EarlierStarts, id)", "return r.StartID == id"),
		},
		{
			Name:  "an instance begins again with its old number",
			Bug:   "The start that begins an instance again uses the number of the execution that has ended.",
			Bias:  "purges",
			File:  "internal/host/deciding/begin_again.go",
			Edits: edit("Again: r.ExecutionID + 1,", "Again: r.ExecutionID,"),
		},
		{
			Name:  "what runs begins again",
			Bug:   "A start that may begin an ended instance again does not look whether it has ended, neither in the turn nor in its conditional write.",
			Bias:  "purges",
			File:  "internal/host/deciding/begin_again.go",
			Edits: edit("t.Running.Creating || x != nil && !x.Ended() {", "t.Running.Creating {"),
		},
		{
			Name:  "a tombstone holds no id",
			Bug:   "Whether the id of a purged instance is free is not looked at, neither by the turn nor by its conditional write.",
			File:  "store/record.go",
			Edits: edit("return r.Purged && !r.FreeAt.After(now)", "return r.Purged"),
		},
		{
			Name:  "the turn does not look at the tombstone",
			Bug:   "A start of a purged id is run and cannot be written, again and again.",
			File:  "internal/host/deciding/load.go",
			Edits: edit("if NewStart(r, open) == nil || t.held() {", "if NewStart(r, open) == nil {"),
		},
		{
			Name:  "a tombstone expires at once",
			Bug:   "The id of a purged instance is free the moment after.",
			File:  "internal/host/deciding/purge.go",
			Edits: edit("const IDHeld = wire.MaxAge + 24*time.Hour", "const IDHeld = 24*time.Hour - wire.MaxAge*0 - 24*time.Hour"),
		},
		{
			Name:  "a tombstone expires ahead of a message",
			Bug:   "The id of a purged instance is free while messages for it may still come.",
			File:  "internal/host/deciding/purge.go",
			Edits: edit("const IDHeld = wire.MaxAge + 24*time.Hour", "const IDHeld = wire.MaxAge - 24*time.Hour"),
		},
		{
			Name:  "a purge deletes before it hides",
			Bug:   "The history of an instance is deleted while its record still says that it is there.",
			File:  "internal/host/orchestrator/send.go",
			Edits: edit("\t\treturn a.scheduleDeletion(ctx, s.Deletion)\n", "\t\t_, err := a.tables.Store.DeleteHistory(ctx, s.Deletion.Instance, s.Deletion.ExecutionID, 0)\n\t\treturn err\n"),
		},
		{
			Name:  "a history is deleted with the purge",
			Bug:   "The history of an instance is deleted as soon as it is hidden: a writer that has stalled finds its slot free again.",
			File:  "internal/host/orchestrator/send.go",
			Edits: edit("r.EndedAt.Add(a.desk.Settings.Purge.Grace)", "r.EndedAt"),
		},
		{
			Name:  "a parent is not told of a purged id",
			Bug:   "A start of a purged id that a parent has sent is acknowledged, and the parent waits forever.",
			File:  "internal/host/deciding/exists.go",
			Edits: edit("\tt.tellRefused(p, m, \"purged_id\", taken(", "\tm.Item.Parent = nil\n\tt.tellRefused(p, m, \"purged_id\", taken("),
		},
		{
			Name:  "a purge that comes back sends nothing again",
			Bias:  "purges",
			Bug:   "A purge that was refused comes back ahead of the terminate that stands behind it, and that has ended the instance in a process which died ahead of its dispatch: it hides the instance, and nobody is told of the end.",
			File:  "internal/host/deciding/load.go",
			Edits: edit("return m.Returning() || m.Item.Kind == wire.Wake || redrives(m) || !r.EndedAt.Before(earliest(m))", "return !m.Purges() && (m.Returning() || m.Item.Kind == wire.Wake || redrives(m) || !r.EndedAt.Before(earliest(m)))"),
			Rare:  true,
		},
		{
			Name:      "a purge that finds an end sends nothing",
			Otherwise: "internal/host/deciding TestAPurgeThatComesBackTellsWhatAnotherHasEnded",
			Bias:      "twins+purges",
			Rare:      true,
			Bug:       "A process ends the instance and dies ahead of the dispatch, and a purge that was received about then hides it, and nobody is told of the end.",
			File:      "internal/host/deciding/again.go",
			Edits:     edit("return m.Purges() && x.Ended()", "return m.Purges() && !x.Ended()"),
		},
		{
			Name:  "a purge with force ends what runs",
			Bug:   "A purge with force that comes ahead of its terminate hides an instance that runs, as one whose history is corrupt: what it had to stop goes on.",
			Bias:  "purges",
			File:  "internal/host/deciding/purge.go",
			Edits: edit("t.passed.damage != nil && m.Item.Force", "m.Item.Force"),
		},
	}
}
