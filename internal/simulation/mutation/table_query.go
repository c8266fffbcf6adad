package mutation

// queryMutations are bugs of states and of queries.
func queryMutations() []Mutation {
	const answers = ". TestAQueryIsAnsweredByTheCodeAndChangesNothing"
	return []Mutation{
		{
			Name:  "a query runs what is parked",
			Bug:   "A query runs the code for events that were recorded without running it, so it answers what no turn has decided.",
			File:  "engine/round.go",
			Edits: edit("			x.halted = true\n			return\n", ""),
		},
		{
			Name:  "a query of what is suspended reads nothing",
			Bug:   "The replay of a query stops at the suspend that it was to stop before.",
			File:  "internal/querying/querying.go",
			Edits: edit("to = s.EventID - 1", "to = s.EventID"),
			Test:  answers,
		},
		{
			Name:  "a handler hides a durable call",
			Bug:   "A query whose handler ignores the error of a durable call has an answer.",
			File:  "engine/context.go",
			Edits: edit("if c.query && x.asked == nil {", "if c.query && x.asked != nil {"),
			Test:  answers,
		},
		{
			Name:  "a state takes its number from the history as it stands",
			Bug:   "The number of a state differs between a turn and a replay.",
			File:  "engine/states.go",
			Edits: edit("number := x.reached()", "number := int64(x.events.len())"),
		},
		{
			Name:  "an equal value has a new number",
			Bug:   "Readers are woken by a value that is the same.",
			File:  "engine/states.go",
			Edits: edit("if found && bytes.Equal(x.states[at].Value, value) {", "if found && bytes.Equal(x.states[at].Value, nil) {"),
			Test:  ". TestAStateIsReadWithItsTypeNumberAndTime",
		},
	}
}
