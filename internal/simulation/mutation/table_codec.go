package mutation

// codecMutations are bugs of payload codecs.
func codecMutations() []Mutation {
	return []Mutation{
		{
			Name:  "codec: messages are not encoded",
			Bug:   "Payloads of messages are not encoded before they are sent.",
			File:  "internal/host/edge/edge.go",
			Edits: edit("if err == nil && encoded.Codec != item.Codec {", "if err == nil && encoded.Codec == \"?\" {"),
		},
		{
			Name:  "codec: the states are decoded with the codec of the output",
			Bug:   "A record whose states were encoded under an older key than its output is decoded with the newer key alone.",
			File:  "codec/record.go",
			Edits: edit("s.openAll(where, r.StatesCodec, recordStates(", "s.openAll(where, r.Codec, recordStates("),
		},
		{
			Name:  "codec: a reason quotes a payload",
			Bug:   "The texts of nondeterminism errors and panics, including payloads, are recorded and logged although the payloads are encoded.",
			File:  "internal/host/orchestrator/load.go",
			Edits: edit("options.Conceal = concealing(instance, n, a.sender.Keys)", "_ = concealing"),
		},
		{
			Name:  "codec: an execution without its key has no open operations",
			Bug:   "A message is requeued for an execution whose key this build lacks, and is acknowledged once the next execution has started under another key.",
			Rare:  true,
			File:  "internal/host/resending/resending.go",
			Edits: edit("if _, err := r.view.Turns(since); edge.MissesCodec(err) {", "if _, err := r.view.Turns(since); edge.MissesCodec(err) && since < 0 {"),
		},
	}
}
