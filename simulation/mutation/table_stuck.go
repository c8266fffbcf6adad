package mutation

// stuckMutations are of instances that are stuck, of wakes and of suspects.
func stuckMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a wake-up forks",
			Bug:   "A wake counts whatever its number, so that each duplicate begins a chain of its own.",
			File:  "host/wake.go",
			Edits: edit("case t.record != nil && number == t.record.WakeNumber:", "case t.record != nil && number > 0 && t.record.Problem != nil:"),
		},
		{
			Name:  "the next wake-up is not sent again",
			Rare:  true,
			Bug:   "A wake that armed the next one and died ahead of sending it ends the chain.",
			File:  "host/wake.go",
			Edits: edit("err = t.sendWakeAgain(out)", "err = ctx.Err()"),
		},
		{
			Name:  "the first wake-up is not sent again",
			Rare:  true,
			Bug:   "A message that marked the instance as stuck and died ahead of the wake-up does not send it when it comes back.",
			File:  "host/stuck.go",
			Edits: edit("return slices.ContainsFunc(t.group.messages, (*message).returning)", "return t.creating && slices.ContainsFunc(t.group.messages, (*message).returning)"),
		},
		{
			Name:  "suspects run beside others",
			Bug:   "A group that is suspected of killing its process is run side by side with the others of its batch, which then look as guilty.",
			File:  "host/orchestrator.go",
			Edits: edit("			limit = 1\n", "			limit = max(limit, 1)\n"),
		},
		{
			Name:  "a neighbour is the killer",
			Bug:   "An instance that bears the mark of one message is stuck as killed by another.",
			File:  "host/suspect.go",
			Edits: edit("if id != \"\" && slices.ContainsFunc(t.group.messages, func(m *message) bool { return m.ID == id && m.returning() }) {", "if id != \"\" && !slices.Contains(t.group.messages, nil) {"),
		},
		{
			Name:  "one mark makes a killer",
			Rare:  true,
			Bug:   "A message that finds its first mark is the killer, though the answer to that mark may have been lost and nothing been run.",
			File:  "host/suspect.go",
			Edits: edit("		case second:\n", "		case second || t.mark != \"\":\n"),
		},
		{
			Name:  "a wake-up of what has ended says nothing",
			Rare:  true,
			Bug:   "A wake-up that finds its instance ended sends nothing, though who ended it may have died ahead of its dispatch.",
			File:  "host/wake.go",
			Edits: edit("case number > 0 && number != goOnNumber && t.x.Ended():", "case number > 0 && number != goOnNumber && t.x.Ended() && t.creating:"),
		},
		{
			Name:  "who lost to another forgets its own commit",
			Rare:  true,
			Bug:   "A turn that committed, lost its next commit and is made again takes its own fact for a duplicate; what the winner has not sent is lost.",
			File:  "host/group.go",
			Edits: edit("						m.handled = true\n", "						m.handled = g.tooLarge != nil\n"),
		},
		{
			Name:  "a start overtakes a purge",
			Bug:   "A start behind a purge of nothing in one batch is taken first, and what it begins is purged.",
			File:  "host/group.go",
			Edits: edit("startsFirst(g.messages[behind:])", "startsFirst(g.messages)"),
		},
		{
			Name:  "a suspect's mark stays",
			Bug:   "A turn that returned does not take its mark back.",
			File:  "host/turn.go",
			Edits: edit("t.clearSuspect(ctx, err != nil)", "_ = ctx"),
		},
	}
}
