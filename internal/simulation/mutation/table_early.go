package mutation

// earlyMutations are bugs of timers and retries that an operator runs before they are
// due.
func earlyMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a timer fired early leaves its schedule",
			Bug:   "The schedule of a timer that an operator has fired remains until its time, which may be years away.",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("	if !firedEarly(e) || out.timedByQueue", "	if firedEarly(e) || out.timedByQueue"),
		},
		{
			Name:  "an early firing does not name the operator",
			Bug:   "The history does not record that an operator fired the timer early.",
			File:  "internal/host/deciding/arrival.go",
			Edits: edit("			SenderID: i.ID, Actor: i.Actor, Reason: i.Reason}\n		a.Proven", "			Actor: i.Actor, Reason: i.Reason}\n		a.Proven"),
		},
		{
			Name:  "an operator's firing needs a token",
			Bug:   "A timer that an operator fires is checked for a token, and becomes a dead letter.",
			File:  "internal/host/deciding/arrival.go",
			Edits: edit("Reason: i.Reason}\n		a.Proven = true", "Reason: i.Reason}\n		a.Proven = m.Proven"),
		},
		{
			Name:  "an early firing does not record the due time",
			Bug:   "The record of an early firing lacks the time at which the timer was due.",
			File:  "engine/execution.go",
			Edits: edit("	return x.events.at(int(eventID - 1)).FireAtMS", "	return x.RecordedAt(eventID)"),
		},
		{
			Name:  "an attempt that ran early runs again",
			Bug:   "The message of a due attempt runs it, though an operator has already had it run.",
			File:  "internal/host/worker/early.go",
			Edits: edit("	case found.Attempt >= item.Attempt && activities", "	case found.Attempt > item.Attempt+1000 && activities"),
		},
		{
			Name:  "an early attempt forgets earlier ones",
			Bug:   "The claim of an early attempt has only its own due message skipped, and not those of attempts that ran early before.",
			File:  "internal/host/worker/early.go",
			Edits: edit("EarlyClaim(item.ID, late, found.Token)", "EarlyClaim(item.ID, late, \"\")"),
		},
		{
			Name:  "the attempt after an early one is skipped",
			Bug:   "The attempt after an early one has the same id, and is left to a message that does not exist.",
			File:  "internal/host/attempt/next.go",
			Edits: edit("next.Hops, next.FirstSeenMS, next.ID = nil, 0, 0, \"\"", "next.Hops, next.FirstSeenMS = nil, 0, 0"),
		},
		{
			Name:  "the next attempt keeps the operator of an early one",
			Bug:   "The attempt after an early one also runs in the name of the operator.",
			File:  "internal/host/attempt/next.go",
			Edits: edit("	next.Actor = \"\"", "	_ = next.Actor"),
		},
		{
			Name:  "a completion does not name the operator of an early attempt",
			Bug:   "The completion of an activity does not name the operator who requested its attempt.",
			File:  "internal/host/worker/answer.go",
			Edits: edit("r.Output, r.StartedAtMS, item.Actor", "r.Output, r.StartedAtMS, \"\""),
		},
		{
			Name:  "a skipped copy leaves a late claim",
			Rare:  true,
			Bug:   "A message for an early attempt ends because the due one is running, and its late claim makes that one skip.",
			File:  "internal/host/worker/running.go",
			Edits: edit("other.message == t.ID || t.item.ID != \"\" || other.early", "other.message == t.ID || other.early"),
		},
		{
			Name:  "two copies leave the attempt to each other",
			Bug:   "The message of a due attempt ends because an early one is running, and the early one leaves the attempt to it.",
			File:  "internal/host/worker/running.go",
			Edits: edit("t.item.ID != \"\" || other.early {", "t.item.ID != \"\" {"),
			Bias:  "crowds",
		},
		{
			Name:  "a late request runs an attempt that may have started",
			Bug:   "A message for an early attempt runs it even if the due one may have started.",
			Test:  "internal/host/worker TestA18ALateOperatorsMessageLeavesTheAttemptToTheDueOne",
			File:  "internal/host/worker/early.go",
			Edits: edit("	late := !due.After(now.Add(lease.Skew))", "	late := !due.After(now.Add(-1000 * lease.Skew))"),
		},
		{
			Name:  "a late request runs a later attempt early",
			Bug:   "A late or repeated request to retry now runs a later attempt early.",
			File:  "internal/host/deciding/pending.go",
			Edits: edit("next.Attempt == 0 || item.Attempt > 0 && item.Attempt != next.Attempt || ", "next.Attempt == 0 || "),
		},
	}
}
