package mutation

// restoreMutations break the rules that distinguish histories before and after a restore of the
// tables.
func restoreMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a lost event's token completes its successor",
			Bias:  "restores",
			Bug:   "The token of an event that was lost in a restore completes the event that has its id now.",
			File:  "engine/judge.go",
			Edits: edit("	return l.entries.at(int(source-1)).atMS != a.SourceAtMS\n", "	return false\n"),
		},
		{
			Name:  "a lost event's token is a dead letter",
			Bias:  "restores",
			Bug:   "The token of an event that was lost in a restore, and whose id is unused, is misaddressed.",
			File:  "engine/judge.go",
			Edits: edit("	case a.ExecutionID > l.executionID || source > int64(l.entries.len()):\n		return true\n", "	case a.ExecutionID > l.executionID || source > int64(l.entries.len()):\n		return false\n"),
		},
		{
			Name:  "a resume of a lost suspend counts",
			Bias:  "restores",
			Bug:   "A message without a token does not say when the event that it names was recorded.",
			File:  "internal/host/deciding/arrival.go",
			Edits: edit("engine.Arrival{Proven: m.Proven, SourceAtMS: i.ScheduledAtMS}", "engine.Arrival{Proven: m.Proven}"),
		},
		{
			Name:  "the schedule of a lost timer blocks a new one",
			Bias:  "restores",
			Bug:   "A timer with the id of a lost one gets no schedule, because the lost timer's schedule has its name.",
			File:  "internal/timer/name.go",
			Edits: edit("[]int64{executionID, eventID, atMS}", "[]int64{executionID, eventID}"),
		},
		{
			Name:  "the token of an early attempt has the time of the redrive",
			Bias:  "forks",
			Bug:   "The token of an attempt that an operator started early contains the time of the redrive or fork, so its result is refused.",
			File:  "internal/host/deciding/pending.go",
			Edits: edit("a.Running.X.RecordedAt(item.SourceEventID)\n\t}\n\treturn p, err", "scheduled.AtMS\n\t}\n\treturn p, err"),
		},
		{
			Name:  "the token of a copied activity has the time of the redrive",
			Bias:  "redrives",
			Bug:   "The token of a copied activity contains the time of the redrive, so its result is refused.",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("SchedulingEventID: e.EventID, Token: out.token(c, e.EventID, e.AtMS),", "SchedulingEventID: e.EventID, Token: out.token(c, e.EventID, sinceMS),"),
		},
		{
			Name:  "the schedule of a cancelled timer is removed under a wrong name",
			Bug:   "The name under which a schedule is removed lacks the time.",
			File:  "internal/host/dispatch/work.go",
			Edits: edit("OnParentEnd: e.OnParentEnd, AtMS: e.AtMS}", "OnParentEnd: e.OnParentEnd}"),
		},
	}
}
