package mutation

// sizeMutations are of what is about as long as it may be.
func sizeMutations() []Mutation {
	return []Mutation{
		{
			Name:  "what no receiver takes is sent",
			Bug:   "An input or an output over its limit goes into a queue, whose receiver refuses it, and nobody who waits hears of it.",
			Bias:  "near limits",
			File:  "internal/host/edge/edge.go",
			Edits: edit("body, err := e.limits.Encode(item)", "body, err := item.Encode()"),
		},
		{
			Name:  "what is over its limit is taken",
			Bug:   "A start or an event whose payload is over the limit is recorded.",
			Bias:  "near limits",
			File:  "internal/host/inbox/admit.go",
			Edits: edit("item, err := d.Edge.ParseWrapped(m.Body)", "item, err := wire.Limits{Payload: -1}.ParseWrapped(m.Body)"),
		},
		{
			Name:  "what is as long as it may be is too large",
			Bug:   "The limit of a payload is one byte less than what is promised.",
			Bias:  "near limits",
			File:  "internal/wire/check.go",
			Edits: edit("if limit >= 0 && n > limit {", "if limit >= 0 && n >= limit {"),
		},
		{
			Name:  "a failure over its limit is not cut",
			Bug:   "The failure of an instance whose text is too long for a message is tried again for ever, and its parent does not hear of it.",
			Bias:  "near limits",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("out.Edge.Failure(&f)", "wire.FailureOf(&f)"),
		},
		{
			Name:  "a reason over its limit is not cut",
			Bug:   "Code cancels another instance with a reason that no message holds, and the cancel becomes a dead letter.",
			Bias:  "near limits",
			File:  "internal/host/dispatch/outbox.go",
			Edits: edit("	item.Reason = out.Edge.Reason(item.Reason)\n", ""),
		},
	}
}
