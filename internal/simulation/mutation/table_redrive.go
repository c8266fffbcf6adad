package mutation

// redriveMutations are of instances that go on where they failed.
func redriveMutations() []Mutation {
	return []Mutation{
		{
			Name:  "what ends a redriven child is late ahead of its start",
			Bug:   "The start that redrives a child goes round, the parent ends meanwhile, and its cancel finds the execution that has ended: the child runs for ever.",
			Bias:  "dead letters",
			Rare:  true,
			File:  "internal/host/deciding/without.go",
			Edits: edit("!m.EndsChild() || own == nil ||", "true || own == nil ||"),
		},
		{
			Name:  "a redrive is refused beside its twin",
			Bug:   "A process refuses a redrive that its twin has committed, because it reads a torn record; the twin has died, and nobody sends what it has committed.",
			Bias:  "twins",
			Rare:  true,
			File:  "internal/host/deciding/redrive.go",
			Edits: edit("if err := t.ask(&Read{What: Behind, Execution: begins, Event: 1}); err != nil {", "if err := error(nil); begins < 0 {"),
		},
		{
			Name:  "a refused redrive looks once",
			Rare:  true,
			Bias:  "late ends+purges",
			Bug:   "A process dies with the commit of a redrive under way, another build refuses the redrive, and when the commit has landed nobody sends what it asks for.",
			File:  "internal/host/deciding/redrive.go",
			Edits: edit("	if m.ReceiveCount > 1 {", "	if m.ReceiveCount > 1<<20 {"),
		},
		{
			Name:  "a redrive takes failures along",
			Rare:  true,
			Bug:   "What failed behind the prefix stays failed, in place of being started anew.",
			Bias:  "purges",
			File:  "internal/redriving/redriving.go",
			Edits: edit("case Succeeds(e.Kind) && source <= from && e.EventID != r.From:", "case e.Kind.Completes() != history.KindUnknown && source <= from && e.EventID != r.From:"),
		},
		{
			Name:  "a redrive leaves results behind",
			Bug:   "What completed behind the prefix is forgotten, and its activities run again.",
			Bias:  "purges",
			File:  "internal/redriving/redriving.go",
			Edits: edit("case Succeeds(e.Kind) && source <= from && e.EventID != r.From:", "case false:"),
		},
		{
			Name:  "a redrive cuts a round",
			Bug:   "The history is taken over up to the arrivals of a round, without the answers to them.",
			Bias:  "purges",
			File:  "internal/redriving/round.go",
			Edits: edit("for n > 0 && events[n-1].Kind.Arrival() {", "for false {"),
		},
		{
			Name:  "what was open has a new key",
			Bug:   "An activity that was open when it was taken over runs under a new idempotency key.",
			Bias:  "purges",
			File:  "internal/host/dispatch/taken_over.go",
			Edits: edit("	if !found {", "	if found || !found {"),
		},
		{
			Name:  "what was open inline has a new key",
			Rare:  true,
			Bug:   "An inline activity that was open when it was taken over runs under a new idempotency key.",
			Bias:  "forks",
			File:  "internal/host/orchestrator/inline.go",
			Edits: edit("		info.IdempotencyKey = attempts.IdempotencyKey(o.Instance, o.ExecutionID, first)", "		_ = o"),
		},
		{
			Name:  "what had failed inline keeps its key",
			Rare:  true,
			Bug:   "An inline activity that had failed runs under the idempotency key that it had, under which a bank declines it again.",
			Bias:  "purges",
			File:  "internal/redriving/redriving.go",
			Edits: edit("unsure[source] = true, isUnsure(e.Failure)\n", "unsure[source] = true, isUnsure(e.Failure) || events[source-1].Inline\n"),
		},
		{
			Name:  "what a redrive takes over is sent although the code has cancelled it",
			Rare:  true,
			Bug:   "Of what is taken over, what the code has cancelled is sent as well.",
			Bias:  "purges",
			File:  "internal/host/dispatch/commit.go",
			Edits: edit("taken.open[e.EventID] && !taken.held && !cancelled[e.EventID] && !c.Done[e.EventID]", "taken.open[e.EventID] && !taken.held && !c.Done[e.EventID]"),
		},
		{
			Name:  "a redriven instance forgets its custom status",
			Bug:   "The record of an instance that goes on where it failed does not get the custom status that the code had set.",
			Bias:  "purges",
			File:  "engine/redrive.go",
			Edits: edit("x.run.statusSet = x.run.statusSet || x.status != nil", "x.run.statusSet = x.run.statusSet"),
		},
		{
			Name:  "a redrive is dispatched as if it had taken nothing over",
			Bug:   "What an instance had sent to others, and what it had cancelled, is sent again by its next execution.",
			Bias:  "purges",
			File:  "internal/host/dispatch/taken_over.go",
			Edits: edit("if t.Events[i].Kind == history.OrchestrationRedriven {", "if t.Events[i].Kind == history.KindUnknown {"),
		},
	}
}
