package mutation

// suspendMutations are of instances that are suspended and resumed.
func suspendMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a cancel ends a suspend",
			Bug:   "A cancel of what somebody has suspended resumes it, in place of waiting for the resume.",
			Bias:  "suspends",
			File:  "engine/suspend.go",
			Edits: edit("a.Event.Kind == history.OrchestrationCancelRequested && x.queued()", "a.Event.Kind == history.OrchestrationCancelRequested && x.ledger.suspendedID != 0"),
		},
		{
			Name:  "an inline activity that was open at a suspend is forgotten",
			Bug:   "An inline activity that was scheduled ahead of a suspend does not run after the resume.",
			Test:  "engine TestAnInlineActivityThatIsOpenAheadOfASuspendRunsAfterTheResume",
			File:  "engine/inline.go",
			Edits: edit("		e := x.events.at(int(f.id) - 1)\n		call", "		e := x.events.at(int(f.id) - 1)\n		if f.id < int64(x.events.len()) && x.events.at(int(f.id)).Kind == history.OrchestrationSuspended {\n			continue\n		}\n		call"),
		},
		{
			Name:  "a suspended instance is replayed",
			Bug:   "A cold process runs what was recorded while the instance was suspended.",
			Bias:  "suspends",
			File:  "engine/run.go",
			Edits: edit("	if !in.Park && x.ledger.suspendedID == 0 {", "	if !in.Park {"),
		},
		{
			Name:  "a suspended instance takes what comes",
			Bug:   "A suspend is recorded, and what comes after it is run as ever.",
			Bias:  "suspends",
			File:  "engine/run.go",
			Edits: edit("		case x.ledger.suspendedID != 0:\n			verdicts[i]", "		case x.ledger.suspendedID < 0:\n			verdicts[i]"),
		},
		{
			Name:  "a resume visits nothing",
			Bug:   "What was recorded while the instance was suspended is not visited at the resume.",
			Bias:  "suspends",
			File:  "engine/suspend.go",
			Edits: edit("if v.Kind == Recorded && x.ledger.suspendedID == 0 {", "if v.Kind == Recorded && x.ledger.suspendedID < 0 {"),
		},
		{
			Name:  "a resume that comes again resumes again",
			Bug:   "The repeat of a resume is not known, and resumes what was suspended since.",
			Bias:  "suspends",
			File:  "engine/ledger.go",
			Edits: edit("return \"resume:\" + e.SenderID", "return \"\""),
		},
		{
			Name:  "a suspend that comes again suspends again",
			Bug:   "The repeat of a suspend is not known, and suspends what was resumed since.",
			Bias:  "suspends",
			File:  "engine/ledger.go",
			Edits: edit("return \"suspend:\" + e.SenderID", "return \"\""),
		},
		{
			Name:  "a suspend of what is suspended begins it anew",
			Bug:   "Of several suspends the last counts, so that the history says another than the record.",
			Bias:  "suspends",
			File:  "engine/ledger.go",
			Edits: edit("		if l.suspendedID == 0 {\n			l.suspendedID = e.EventID\n		}", "		l.suspendedID = e.EventID"),
		},
		{
			Name:  "continue-as-new drops a suspend",
			Bug:   "A suspend that comes behind the end of an execution is late, and does not reach the next one.",
			Bias:  "suspends",
			File:  "engine/continue_as_new.go",
			Edits: edit("over := a.Event.Kind == history.ExternalEvent || a.Event.Kind == history.OrchestrationSuspended || a.Event.Kind == history.OrchestrationResumed", "over := a.Event.Kind == history.ExternalEvent"),
		},
		{
			Name:  "what is suspended and stuck is listed as stuck",
			Bug:   "The mark of code that could not go on ahead of a suspend has the sweeper try the suspended instance.",
			Bias:  "suspends",
			File:  "internal/host/projection/suspend.go",
			Edits: edit("		*c.Status = statusOf(now)\n", "		_ = c\n"),
		},
		{
			Name:  "a resume hides the mark",
			Bug:   "An instance that is stuck when it is resumed is listed as running, and nobody tries it again.",
			Bias:  "suspends",
			File:  "internal/host/projection/suspend.go",
			Edits: edit("	case p.Mark != nil:\n		return store.StatusStuck\n", "	case p.Mark != nil:\n		return store.StatusRunning\n"),
		},
		{
			Name:  "an end leaves the suspension",
			Rare:  true,
			Bug:   "The record of an instance that is terminated says still that it is suspended.",
			Bias:  "suspends",
			File:  "internal/host/projection/project.go",
			Edits: edit("			c.Suspension = new(*store.Suspension)\n", "			_ = c.Suspension\n"),
		},
		{
			Name:  "a resume believes an old record",
			Bug:   "A resume leaves the record where that does not say that the instance is suspended, though it may be older than the history.",
			Bias:  "suspends+torn reads",
			File:  "internal/host/projection/suspend.go",
			Edits: edit("	if !Suspends(d) {\n", "	if !Suspends(d) || now == nil && s.Record != nil && s.Record.Suspension == nil {\n"),
		},
		{
			Name:  "a time that was moved counts still",
			Bug:   "The resume for a time at which an instance was to go on counts, though the time was moved.",
			Bias:  "suspends",
			File:  "engine/judge.go",
			Edits: edit("a.Suspend != 0 && a.Suspend != l.suspendOf(e.Kind)", "a.Suspend < 0"),
		},
		{
			Name:  "a start that is to begin later begins at once",
			Bug:   "A suspend that a start brings is recorded, and the code is run.",
			Bias:  "suspends",
			File:  "engine/run.go",
			Edits: edit("case a.Event.Kind == history.OrchestrationSuspended, suspendedIn(a.With) != nil:", "case a.Event.Kind == history.OrchestrationSuspended:"),
		},
	}
}
