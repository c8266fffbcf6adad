package mutation

// engineMutations break the rules of the replay core.
func engineMutations() []Mutation {
	return []Mutation{
		{
			Name:  "several arrivals are one round",
			Bug:   "All arrivals of a batch are recorded, and then answered together.",
			File:  "engine/run.go",
			Edits: edit("		default:\n			verdicts[i] = x.take(a)", "		default:\n			if verdicts[i] = x.park(a); i == len(in.Arrivals)-1 {\n				x.replay()\n			}"),
		},
		{
			Name:  "continue-as-new forgets who waits",
			Bug:   "Parents that wait for an instance which was there already do not go over into the next execution.",
			File:  "engine/continue_as_new.go",
			Edits: edit("		if e.Kind == history.ParentAttached {\n			next", "		if e.Kind == history.ParentAttached && e.EventID == 0 {\n			next"),
		},
		{
			Name:  "select by the order of arguments",
			Bug:   "Select takes the first of its arguments that is ready, not the one that history made ready first.",
			File:  "engine/select.go",
			Edits: edit("(first < 0 || f.seq < fs[first].seq)", "first < 0"),
		},
		{
			Name:  "forget a loser",
			Bug:   "Select leaves its losers open.",
			File:  "engine/select.go",
			Edits: edit("for _, f := range losers {", "for _, f := range losers[:0] {"),
		},
		{
			Name:  "a loser is not stopped outside",
			Bug:   "What is cancelled is not noted, so that its timer, activity or child goes on.",
			File:  "engine/future.go",
			Edits: edit("x.noteCancelled(f.id)", "_ = f.id"),
		},
		{
			Name:  "an end leaves everything open",
			Bug:   "An orchestration that returns does not stop the timers and activities that nobody awaits.",
			File:  "engine/ending.go",
			Edits: edit("x.run.cancelled = append(x.run.cancelled, op.id)", "_ = op.id"),
		},
		{
			Name:  "continue-as-new loses kept events",
			Bug:   "External events that no wait has taken stay behind in the old execution.",
			File:  "engine/continue_as_new.go",
			Edits: edit("next := x.unconsumed()", "var next []history.Event"),
		},
		{
			Name:  "continue-as-new loses parked events",
			Bug:   "Events that were recorded and not visited when the code ended stay behind.",
			File:  "engine/continue_as_new.go",
			Edits: edit("for _, e := range unvisited {", "for _, e := range unvisited[:0] {"),
		},
		{
			Name:  "continue-as-new loses the rest of the batch",
			Bug:   "Events that came in the batch behind a continue-as-new are said to be recorded, and are not.",
			File:  "engine/continue_as_new.go",
			Edits: edit("*next = append(*next, a.Event)", "_ = next"),
		},
		{
			Name:  "continue-as-new turns events round",
			Bug:   "Events are carried over newest first.",
			File:  "engine/external_event.go",
			Edits: edit("all[i].EventID < all[j].EventID", "all[i].EventID > all[j].EventID"),
		},
		{
			Name:  "continue-as-new forgets whom it heard",
			Bug:   "Ids of senders do not go over, so that an event raised twice counts twice.",
			File:  "engine/continue_as_new.go",
			Edits: edit("SenderIDs: x.senderIDs(carried)", "SenderIDs: nil"),
		},
		{
			Name:  "continue-as-new forgets the search attributes",
			Rare:  true,
			Bug:   "Search attributes stay behind, so that the next execution does not know what it is found by.",
			File:  "engine/continue_as_new.go",
			Edits: edit("SearchAttributes: x.search, ", ""),
		},
		{
			Name:  "continue-as-new forgets the parent",
			Bug:   "The next execution of a child does not know whom to tell of its end.",
			File:  "engine/continue_as_new.go",
			Edits: edit("start.StartID, start.Parent = was.Start.StartID, was.Start.Parent", "start.StartID = was.Start.StartID"),
		},
		{
			Name:  "no duplicate check of completions",
			Bug:   "A completion that stands in history is recorded again.",
			File:  "engine/judge.go",
			Edits: edit("return src.completed, true", "return 0, false"),
		},
		{
			Name:  "no duplicate check of events",
			Bug:   "An event is recorded again although its sender's id is known.",
			File:  "engine/judge.go",
			Edits: edit("eventID, ok = l.senders[rememberedAs(e)]", "eventID, ok = 0, false"),
		},
		{
			Name:  "tokens are not looked at",
			Bug:   "A completion that somebody made up is taken for the real one.",
			File:  "engine/judge.go",
			Edits: edit("case !a.Inline && !l.tokenMatches(source, a.Token):", "case false:"),
		},
		{
			Name:  "an older execution is the current one",
			Bug:   "A completion for an execution that has ended is judged by the one that runs.",
			File:  "engine/judge.go",
			Edits: edit("case a.ExecutionID != 0 && a.ExecutionID < l.executionID:", "case false:"),
		},
		{
			Name:  "claims are not compared",
			Bug:   "What the code starts is taken for what history has at that place.",
			File:  "engine/claim.go",
			Edits: edit("compare(e, want, normalize); difference != \"\" {", "compare(e, want, normalize); len(difference) > 100 {"),
		},
		{
			Name:  "left-over events are fine",
			Bug:   "A recorded operation that the code no longer starts is passed over.",
			File:  "engine/round.go",
			Edits: edit("if x.cursor.claim < x.cursor.claimEnd {", "if x.cursor.claim+100 < x.cursor.claimEnd {"),
		},
		{
			Name:  "strict mode looks at nothing",
			Bug:   "In strict mode too, a completion that nobody waits for is taken.",
			File:  "engine/strict.go",
			Edits: edit("!x.def.Strict || op.awaited()", "!x.def.Strict || op.awaited() || x.cfg.Instance != \"\""),
		},
		{
			Name:  "a shield does not hold",
			Bug:   "A cancel reaches what cleans up behind it.",
			File:  "engine/scope_context.go",
			Edits: edit("c.scope.child(true)}", "c.scope.child(false)}"),
		},
		{
			Name:  "a look sees the second event",
			Bug:   "Code that looks whether an event has come is told so from the second on.",
			File:  "engine/external_event.go",
			Edits: edit("return n != nil && len(n.kept) > 0, nil", "return n != nil && len(n.kept) > 1, nil"),
		},
		{
			Name:  "a select cancels what it is to keep",
			Bug:   "The loser of a select that keeps its losers is cancelled.",
			File:  "engine/select.go",
			Edits: edit("	if !keep {\n		c.cancelLosers", "	if !keep || len(fs) > 1 {\n		c.cancelLosers"),
		},
		{
			Name:  "a cancelled wait takes an event",
			Bug:   "An event goes to a wait that lost its select.",
			File:  "engine/external_event.go",
			Edits: edit("		if wait.state != open {\n			n.gone--\n			continue", "		if wait.state != open {\n			n.gone--\n			return"),
		},
		{
			Name:  "events last in, first out",
			Bug:   "A wait takes the newest of the events that were kept.",
			File:  "engine/external_event.go",
			Edits: edit("		e := n.kept[0]\n		n.kept = n.kept[1:]", "		e := n.kept[len(n.kept)-1]\n		n.kept = n.kept[:len(n.kept)-1]"),
		},
		{
			Name:  "a stuck round cancels all the same",
			Bug:   "What the code cancelled before it could not go on is stopped outside.",
			File:  "engine/round.go",
			Edits: edit("	x.run.cancelled = x.run.cancelled[:m.cancelled]\n	x.status", "	x.status"),
		},
		{
			Name:  "a stuck instance takes no arrivals",
			Bug:   "Arrivals behind the one that can't be answered are said to be recorded, and are not.",
			File:  "engine/run.go",
			Edits: edit("case in.Park || x.stuck != nil || x.ledger.ended:\n			verdicts[i] = x.park(a)", "case x.stuck != nil:\n			verdicts[i] = Verdict{Kind: Recorded}\n		case in.Park || x.ledger.ended:\n			verdicts[i] = x.park(a)"),
		},
		{
			Name:  "a round with an imposed end is run",
			Rare:  true,
			Bug:   "Arrivals that were never answered, because the instance was terminated, are answered on replay.",
			File:  "engine/round.go",
			Edits: edit("if imposed && answers == after {", "if imposed && answers > after {"),
		},
		{
			Name:  "terminate spares the children",
			Bug:   "An end that is imposed leaves the children running.",
			File:  "engine/imposed.go",
			Edits: edit("kind == history.TimerCreated, kind == history.SubOrchestrationScheduled:", "kind == history.TimerCreated:"),
		},
		{
			Name:  "inline activities wait for nobody",
			Bug:   "Arrivals are taken while the result of an inline activity is still to come.",
			File:  "engine/run.go",
			Edits: edit("			if !a.Inline {\n				return x.finish", "			if !a.Inline && in.Park {\n				return x.finish"),
		},
	}
}
