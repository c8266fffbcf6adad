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
		{
			Name:  "an attempt that was made early is made again",
			Bug:   "The message by which an attempt is due makes it, though an operator has had it made before.",
			File:  "internal/host/worker/early.go",
			Edits: edit("	case found.Attempt >= item.Attempt && activities", "	case found.Attempt > item.Attempt+1000 && activities"),
		},
		{
			Name:  "an early attempt forgets those before it",
			Bug:   "The claim of an attempt that is made early leaves out its own message, and not those of attempts that were made early before.",
			File:  "internal/host/worker/early.go",
			Edits: edit("EarlyClaim(item.ID, late, found.Token)", "EarlyClaim(item.ID, late, \"\")"),
		},
		{
			Name:  "the attempt behind an early one is early",
			Bug:   "The attempt that follows one which was made early has its id, and is left to a message that there is not.",
			File:  "internal/host/attempt/next.go",
			Edits: edit("next.Hops, next.ID = nil, 0, \"\"", "next.Hops = nil, 0"),
		},
		{
			Name:  "whoever asked for an attempt asked for the next one too",
			Bug:   "The attempt that follows one which was made early is made on behalf of the operator who asked for that one.",
			File:  "internal/host/attempt/next.go",
			Edits: edit("	next.Actor = \"\"", "	_ = next.Actor"),
		},
		{
			Name:  "nobody has asked for an early attempt",
			Bug:   "The completion of an activity does not say who asked for the attempt that completed it.",
			File:  "internal/host/worker/answer.go",
			Edits: edit("r.Output, r.StartedAtMS, item.Actor", "r.Output, r.StartedAtMS, \"\""),
		},
		{
			Name:  "a copy is left out though its claim may stand",
			Rare:  true,
			Bug:   "A message that makes an attempt early ends beside the one that is due, and a claim of it that lands late leaves that one out.",
			File:  "internal/host/worker/running.go",
			Edits: edit("other.message == t.ID || t.item.ID != \"\" || other.early", "other.message == t.ID || other.early"),
		},
		{
			Name:  "what is left to a copy was left out",
			Bug:   "The message by which an attempt is due ends beside one that came to make it early, and that one leaves the attempt to it.",
			File:  "internal/host/worker/running.go",
			Edits: edit("t.item.ID != \"\" || other.early {", "t.item.ID != \"\" {"),
			Bias:  "crowds",
		},
		{
			Name:  "a late message makes its attempt all the same",
			Bug:   "A message that makes an attempt early makes it also where the one that is due may have begun.",
			Test:  "internal/host/worker TestA18AnEarlyMessageThatComesLateLeavesTheAttempt",
			File:  "internal/host/worker/early.go",
			Edits: edit("	late := !due.After(now.Add(lease.Skew))", "	late := !due.After(now.Add(-1000 * lease.Skew))"),
		},
		{
			Name:  "a request to retry now is for whichever attempt waits",
			Bug:   "A request to make an attempt now that comes late, or twice, has a later attempt made early.",
			File:  "internal/host/deciding/pending.go",
			Edits: edit("next.Attempt == 0 || item.Attempt > 0 && item.Attempt != next.Attempt || ", "next.Attempt == 0 || "),
		},
	}
}
