package mutation

// sizeMutations are bugs of payloads and texts near their size limits.
func sizeMutations() []Mutation {
	return []Mutation{
		{
			Name:  "an oversized payload is sent",
			Bug:   "An input or output over its limit is sent, its receiver refuses it, and no waiting caller is notified.",
			Bias:  "near limits",
			File:  "internal/host/edge/edge.go",
			Edits: edit("body, err := e.limits.Encode(item)", "body, err := item.Encode()"),
		},
		{
			Name:  "a payload over its limit is accepted",
			Bug:   "A start or an event whose payload is over the limit is recorded.",
			Bias:  "near limits",
			File:  "internal/host/inbox/admit.go",
			Edits: edit("item, err := d.Edge.ParseWrapped(m.Body)", "item, err := wire.Limits{Payload: -1}.ParseWrapped(m.Body)"),
		},
		{
			Name:  "a payload of the maximum size is refused",
			Bug:   "The limit of a payload is one byte less than documented.",
			Bias:  "near limits",
			File:  "internal/wire/check.go",
			Edits: edit("if limit >= 0 && n > limit {", "if limit >= 0 && n >= limit {"),
		},
		{
			Name:  "a failure over its limit is not cut",
			Bug:   "A failure whose text is too long for a message is sent again forever, and the parent is not notified.",
			Bias:  "near limits",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("out.Edge.Failure(&f)", "wire.FailureOf(&f)"),
		},
		{
			Name:  "a reason over its limit is not cut",
			Bug:   "Code cancels another instance with a reason that is too long for a message, and the cancel becomes a dead letter.",
			Bias:  "near limits",
			File:  "internal/host/dispatch/outbox.go",
			Edits: edit("	item.Reason = out.Edge.Reason(item.Reason)\n", ""),
		},
	}
}
