package mutation

// formatMutations are of what is said beside what makes an instance go on: how
// old an item is, who asked, which headers came with a start.
func formatMutations() []Mutation {
	return []Mutation{
		{
			Name:  "the age of an item is not looked at",
			Bug:   "An event that was sent more than fourteen days ago is applied.",
			File:  "host/batch.go",
			Edits: edit("if received(m, now); m.item.Expired(now) {", "if received(m, now); m.item.Expired(now) && m.item.Hops < 0 {"),
		},
		{
			Name:  "an item is young again behind a hop",
			Bug:   "What goes round the delay queue says that it was sent first when it was sent round.",
			File:  "host/outbox.go",
			Edits: edit("round.Hops++\n", "round.Hops++\n\tround.SentMS = o.Clock.Now().UnixMilli()\n"),
		},
		{
			Name:  "an attempt gets no headers",
			Bug:   "The headers of a start do not go to its activities.",
			File:  "host/dispatch.go",
			Edits: edit("Retry: e.Retry, Headers: s.start.Headers}", "Retry: e.Retry}"),
		},
		{
			Name:  "a completion names another attempt",
			Bug:   "A worker says of a result that the first attempt made it.",
			File:  "host/execute.go",
			Edits: edit("Result: r.result, Attempt: item.Attempt, ", "Result: r.result, Attempt: 1, "),
		},
	}
}
