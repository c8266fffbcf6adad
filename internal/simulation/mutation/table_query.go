package mutation

// queryMutations are bugs of states and of queries.
func queryMutations() []Mutation {
	const answers, querying = ". TestAQueryIsAnsweredByTheCodeAndChangesNothing", "internal/querying/querying.go"
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
			File:  querying,
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
			Name: "the copy of a query answers another one",
			Bug:  "A second query of an instance sees the variables that the handler of the first has changed.",
			File: querying,
			Edits: append(edit("type replica struct {", "var kept = map[string]*engine.Execution{}\n\ntype replica struct {"),
				Edit{"	c.close()\n	if err := c.ctx.Err(); err != nil {", "	if x := kept[c.of.Instance]; x != nil && x.ReadTo() == to {\n		c.x = x\n		return engine.Turn{}, nil\n	}\n	defer func() { kept[c.of.Instance] = c.x }()\n	c.close()\n	if err := c.ctx.Err(); err != nil {"}),
			Test: answers,
		},
		{
			Name:  "code that disagrees answers with the arrival that it disagrees about",
			Bug:   "A query of an instance that is stuck is answered from events for which no turn has run the code.",
			File:  querying,
			Edits: edit("if to = c.x.ReadTo(); stuck", "if to = c.x.ReadTo() + 1; stuck"),
			Test:  "internal/querying TestTheCodeAnswersUpToTheLastEventThatItHasProcessed",
		},
		{
			Name:  "code that disagrees with an ended instance answers",
			Bug:   "A query of an instance that has ended is answered as if it had not.",
			File:  querying,
			Edits: edit("if to == 0 || last.Events[len(last.Events)-1].Kind.Terminal() {", "if to == 0 {"),
			Test:  "internal/querying TestEachReasonForNoAnswerHasItsKind",
		},
		{
			Name:  "a query that is over calls the handler",
			Bug:   "Code that blocked until no caller waited for its answer is queried nevertheless.",
			File:  querying,
			Edits: edit("	if err := c.ctx.Err(); err != nil {\n		return Answer{}, err\n	}\n	a.Output", "	a.Output"),
			Test:  "internal/querying TestCodeThatBlocksIsAbandoned",
		},
		{
			Name:  "a warm process does not ask the store",
			Bug:   "A query is answered from events that were read for an earlier one, and later ones are ignored.",
			File:  "internal/turncache/turncache.go",
			Edits: edit("if last.Events[len(last.Events)-1].Kind.Terminal() {", "if !last.Events[len(last.Events)-1].Kind.Terminal() {"),
		},
		{
			Name:  "a warm process trusts its number of events",
			Bug:   "Turns that were read are taken for those of another history with as many events.",
			File:  "internal/turncache/turncache.go",
			Edits: edit(" && news[0].Token == last.Token:", ":"),
			Test:  "internal/turncache TestOnlyTheLastKnownTurnAndLaterOnesAreReadAgain",
		},
		{
			Name:  "a state has the number of the first execution",
			Bug:   "After continue-as-new or a redrive, later values have lower numbers, and readers that wait miss them.",
			File:  "engine/states.go",
			Edits: edit("ExecutionID: x.cfg.ExecutionID, EventID", "ExecutionID: 1, EventID"),
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
