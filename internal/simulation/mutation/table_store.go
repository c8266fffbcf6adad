package mutation

// storeMutations are about the condition under which a turn is written.
func storeMutations() []Mutation {
	return []Mutation{
		{
			Name:  "skip the condition",
			Bug:   "A turn is written although its first event id is taken.",
			File:  "internal/store/memory/store.go",
			Edits: edit("	if taken {\n", "	if taken && len(items) > 1 {\n"),
		},
		{
			Name:  "any conflict is one's own append",
			Bug:   "Whoever finds the slot taken believes that it took it, whatever token stands there.",
			File:  "internal/store/memory/store.go",
			Edits: edit("if ok && found.token == items[i].token && found.digest == items[i].digest {", "if _ = found; ok {"),
		},
		{
			Name:  "a change of the record needs no condition",
			Bug:   "A record is changed by a writer that knows an older one.",
			File:  "internal/store/memory/record.go",
			Edits: edit("if !change.Holds(found) {", "if change.Create != nil && !change.Holds(found) {"),
		},
	}
}
