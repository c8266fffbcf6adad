package mutation

// keyMutations break the protection against forged completions.
func keyMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a token under an unknown key is accepted",
			Bug:   "A token that names a key that the stack does not have is accepted.",
			File:  "internal/keyring/ring.go",
			Edits: edit("	return key != nil && hmac.Equal(", "	return key == nil || hmac.Equal("),
		},
		{
			Name:  "a parent's token is not verified at the start",
			Bug:   "A start is accepted whatever its parent's token is; the child's end then gets a valid new one.",
			File:  "internal/host/inbox/token.go",
			Edits: edit("if d.Keys.Proves(p.Token, p.Instance, p.ExecutionID, p.EventID) {", "if p.Token != \"\" {"),
		},
		{
			Name:  "a child's history contains its parent's token",
			Bug:   "A start is recorded with the token that its parent waits for.",
			File:  "internal/host/deciding/message.go",
			Edits: edit("EventID: p.EventID, AtMS: atMS}\n}", "EventID: p.EventID, AtMS: atMS, Token: p.Token}\n}"),
		},
		{
			Name:  "messages of the activity function are not checked",
			Bug:   "Messages of the activity function are accepted as if another sender had sent them.",
			File:  "internal/host/inbox/sender.go",
			Edits: edit("	if d.ActivityRole == \"\" || ", "	if d.ActivityRole != \"\" || "),
		},
		{
			Name:  "a dead letter of SQS is trusted when it is redriven",
			Bias:  "dead letters",
			Bug:   "A message that SQS moved to the dead letters before it was checked counts as the operator's when it is redriven.",
			File:  "internal/host/inbox/sender.go",
			Edits: edit("strings.Fields(wire.SentBy(m.Attributes, m.Sender))", "strings.Fields(wire.SentBy(nil, m.Sender))"),
		},
		{
			Name:  "tokens under the previous key are refused",
			Bug:   "A process knows only the current key, and refuses tokens from before the key was changed.",
			File:  "internal/keyring/ring.go",
			Edits: edit("		return r.Ready(ctx)\n	}\n", "		return r.Ready(ctx)\n	}\n	return nil\n"),
		},
	}
}
