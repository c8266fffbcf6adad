package mutation

// suspendMutations are of instances that are suspended and resumed.
func suspendMutations() []Mutation {
	return []Mutation{
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
			Name:  "a suspend demands no stamp",
			Bug:   "A mark that was sent ahead of a suspend takes effect behind it.",
			Bias:  "suspends+late marks",
			File:  "internal/host/projection/suspend.go",
			Edits: edit("c.If.Stamp, c.Stamp = &read, &next", "_, _ = read, next"),
		},
		{
			Name:  "what is suspended and stuck is listed as stuck",
			Bug:   "The mark of code that could not go on ahead of a suspend has the sweeper try the suspended instance.",
			Bias:  "suspends",
			File:  "internal/host/projection/suspend.go",
			Edits: edit("		*c.Status = store.StatusSuspended\n", "		_ = c\n"),
		},
		{
			Name:  "a resume hides the mark",
			Bug:   "An instance that is stuck when it is resumed is listed as running, and nobody tries it again.",
			Bias:  "suspends",
			File:  "internal/host/projection/suspend.go",
			Edits: edit("	case p.Mark != nil:\n		return store.StatusStuck\n", "	case p.Mark != nil:\n		return store.StatusRunning\n"),
		},
		{
			Name:  "a suspend is judged by the cache",
			Bug:   "A suspend does not look whether the instance is stuck, nor whether it is there at all.",
			Bias:  "suspends+late marks",
			File:  "internal/host/deciding/load.go",
			Edits: edit("!m.Records() || m.Suspends() || ", "!m.Records() || "),
		},
		{
			Name:  "an end leaves the suspension",
			Bug:   "The record of an instance that is terminated says still that it is suspended.",
			Bias:  "suspends",
			File:  "internal/host/projection/project.go",
			Edits: edit("			c.Suspension = new(*store.Suspension)\n", "			_ = c.Suspension\n"),
		},
		{
			Name:  "damage that is over stays marked while suspended",
			Bug:   "An arrival or a wake of a suspended instance, whose history can be read again, leaves its mark of damage.",
			Bias:  "suspends+damages",
			File:  "internal/host/projection/project.go",
			Edits: edit("	case d.Suspended != nil && s.corrupt() && (len(d.Events) > 0 || s.Try != \"\"):", "	case d.Suspended != nil && s.corrupt() && len(d.Events) > 1_000_000:"),
		},
		{
			Name:  "a turn goes on with a suspended instance",
			Bug:   "A turn that has recorded a suspend behind an inline activity runs the activity all the same.",
			Bias:  "suspends",
			File:  "internal/host/deciding/draft.go",
			Edits: edit("	if out.State == engine.Suspended {\n", "	if out.State == engine.Suspended && len(out.Events) > 1_000_000 {\n"),
		},
	}
}
