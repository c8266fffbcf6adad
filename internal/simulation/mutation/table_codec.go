package mutation

// codecMutations are of payload codecs.
func codecMutations() []Mutation {
	return []Mutation{
		{
			Name:  "codec: messages are sent as they are",
			Bug:   "Payloads of messages are not sealed on their way into a queue.",
			File:  "internal/host/edge/edge.go",
			Edits: edit("body, err := e.codecs.EncodeItem(*item)", "body, err := item.Encode()"),
		},
		{
			Name:  "codec: a commit is sealed anew when it is repeated",
			Rare:  true,
			Bug:   "The repeat of an append is not the same to the byte, so that the store does not know its writer's own.",
			File:  "internal/host/orchestrator/commit.go",
			Edits: edit("// lands now. Reading back would prove nothing.\n", "// lands now. Reading back would prove nothing.\n\t\tsealed, _ = a.desk.Edge.Sealed(t.View.Instance, store.Commit{Turns: c.Turns, Record: c.Change})\n"),
		},
		{
			Name:  "codec: the status of another key stays",
			Bug:   "An end seals the record's output under a new key and leaves the custom status under the old one, with the mark of the new.",
			File:  "internal/host/projection/project.go",
			Edits: edit("if !s.Sealed || c.CustomStatus != nil || s.Creating {", "if c != nil {"),
		},
		{
			Name:  "codec: a reason quotes a payload",
			Bug:   "Nondeterminism and panics are recorded and logged with the text of payloads, although these are sealed.",
			File:  "internal/host/orchestrator/load.go",
			Edits: edit("options.Conceal = concealing(instance, n, a.terms.Keys)", "_ = concealing"),
		},
	}
}
