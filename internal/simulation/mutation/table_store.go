package mutation

// storeMutations are bugs of the condition under which a turn is written.
func storeMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a commit has no condition",
			Bug:   "A turn is written although its first event id is taken.",
			File:  "internal/store/memory/store.go",
			Edits: edit("	if taken {\n", "	if taken && len(items) > 1 {\n"),
		},
		{
			Name:  "any conflict counts as the writer's own append",
			Bug:   "A writer that finds its position taken assumes that it wrote the event itself, whatever the stored token.",
			File:  "internal/store/memory/store.go",
			Edits: edit("if ok && found.token == items[i].token && found.digest == items[i].digest {", "if _ = found; ok {"),
		},
		{
			Name:  "a change of the record needs no condition",
			Bug:   "A writer with an old copy of the record changes it.",
			File:  "internal/store/memory/record.go",
			Edits: edit("if !change.Holds(found) {", "if change.Create != nil && !change.Holds(found) {"),
		},
	}
}
