package mutation

// codecMutations are of payload codecs.
func codecMutations() []Mutation {
	return []Mutation{
		{
			Name:  "codec: messages are sent as they are",
			Bug:   "Payloads of messages are not sealed on their way into a queue.",
			File:  "internal/host/edge/edge.go",
			Edits: edit("if err == nil && sealed.Codec != item.Codec {", "if err == nil && sealed.Codec == \"?\" {"),
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
		{
			Name:  "codec: what cannot be read has nothing open",
			Bug:   "A message that goes round for an execution whose key this build lacks is acknowledged once the next execution has begun under another key.",
			Rare:  true,
			File:  "internal/host/resending/resending.go",
			Edits: edit("if _, err := r.view.Turns(since); edge.MissesCodec(err) {", "if _, err := r.view.Turns(since); edge.MissesCodec(err) && since < 0 {"),
		},
	}
}
