package mutation

// earlyMutations are of what operators do not let wait for its time.
func earlyMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a timer that is fired early leaves its schedule",
			Bug:   "The schedule of a timer that an operator has fired stands until its time, which may be in years.",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("	if e.SenderID == \"\" || out.timedByQueue", "	if e.SenderID != \"\" || out.timedByQueue"),
		},
		{
			Name:  "a timer that is fired early fired by itself",
			Bug:   "The history does not say that an operator has fired a timer before it was due.",
			File:  "internal/host/deciding/arrival.go",
			Edits: edit("			SenderID: i.ID, Actor: i.Actor, Reason: i.Reason}\n		a.Proven", "			Actor: i.Actor, Reason: i.Reason}\n		a.Proven"),
		},
		{
			Name:  "an operator needs the token of a timer",
			Bug:   "A timer that an operator fires is judged as if its message had a token, and becomes a dead letter.",
			File:  "internal/host/deciding/arrival.go",
			Edits: edit("Reason: i.Reason}\n		a.Proven = true", "Reason: i.Reason}\n		a.Proven = m.Proven"),
		},
		{
			Name:  "a timer that is fired early has no time",
			Bug:   "The firing of a timer before it was due does not say when that was.",
			File:  "engine/execution.go",
			Edits: edit("	return x.events.at(int(eventID - 1)).FireAtMS", "	return x.RecordedAt(eventID)"),
		},
	}
}
