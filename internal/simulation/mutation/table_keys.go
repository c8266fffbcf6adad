package mutation

// keyMutations break what keeps completions from being forged.
func keyMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a token under an unknown key is believed",
			Bug:   "A token that names a key which the stack does not have proves what it says.",
			File:  "internal/keyring/ring.go",
			Edits: edit("	return key != nil && hmac.Equal(", "	return key == nil || hmac.Equal("),
		},
		{
			Name:  "a parent's token is not verified at the start",
			Bug:   "A start is taken whatever its parent's token, which is made anew for it when the child ends.",
			File:  "internal/host/inbox/token.go",
			Edits: edit("if d.Keys.Proves(p.Token, p.Instance, p.ExecutionID, p.EventID) {", "if p.Token != \"\" {"),
		},
		{
			Name:  "a parent's token stands in the child's history",
			Bug:   "A start is recorded with the token that its parent waits for.",
			File:  "internal/host/deciding/arrival.go",
			Edits: edit("ExecutionID: p.ExecutionID, EventID: p.EventID}\n}", "ExecutionID: p.ExecutionID, EventID: p.EventID, Token: p.Token}\n}"),
		},
		{
			Name:  "what the activity role sends is not judged",
			Bug:   "Whatever the activity function sends is taken, as if somebody else had sent it.",
			File:  "internal/host/inbox/sender.go",
			Edits: edit("	if d.ActivityRole == \"\" || ", "	if d.ActivityRole != \"\" || "),
		},
		{
			Name:  "a redrive launders",
			Bias:  "dead letters",
			Bug:   "What SQS gave up before it was looked at is whoever's that redrives it.",
			File:  "internal/host/inbox/sender.go",
			Edits: edit("strings.Fields(wire.SentBy(m.Attributes, m.Sender))", "strings.Fields(wire.SentBy(nil, m.Sender))"),
		},
		{
			Name:  "tokens of the key before are forged",
			Bug:   "A process knows the current key alone, and refuses what was sent out before the key was changed.",
			File:  "internal/keyring/ring.go",
			Edits: edit("		return r.Ready(ctx)\n	}\n", "		return r.Ready(ctx)\n	}\n	return nil\n"),
		},
	}
}
