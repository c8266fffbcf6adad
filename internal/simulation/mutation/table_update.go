package mutation

// updateMutations are bugs of updates.
func updateMutations() []Mutation {
	const bias, code = "updates", "engine/update.go"
	return []Mutation{
		{
			Name:  "an answer is not put",
			Bug:   "The caller of an update never gets its answer while the instance runs.",
			Bias:  bias,
			File:  "internal/host/dispatch/commit.go",
			Edits: edit("			out.Answer(&c, e)\n", ""),
		},
		{
			Name:  "an answer is put only once",
			Bug:   "A process commits a decision and dies, and the process that sends the messages of the commit again does not put the answer.",
			Bias:  bias,
			File:  "internal/host/dispatch/commit.go",
			Edits: edit("			out.Answer(&c, e)\n", "			if c.Done == nil {\n				out.Answer(&c, e)\n			}\n"),
		},
		{
			Name:  "a turn reads no answer",
			Bug:   "A repeat of an update that the history does not have is decided and handled again.",
			File:  "internal/host/deciding/round.go",
			Edits: edit("	if err := r.answered(); err != nil {\n		return p, err\n	}\n", ""),
			Test:  ". TestARepeatOfAnUpdateIsRecognizedAfterManyOthers",
		},
		{
			Name:  "a continue-as-new puts no answers",
			Bug:   "A process commits a decision and dies, another one continues the instance as new, and the answer is never put.",
			Bias:  "updates+late ends",
			File:  "internal/host/deciding/commit.go",
			Edits: edit("			c.Answers = run.X.Decided()\n", ""),
		},
		{
			Name:  "a put sets an answer back",
			Bug:   "A repeated put of the acceptance replaces the result of the handler.",
			Bias:  bias,
			File:  "internal/store/memory/answer.go",
			Edits: edit("if ok && !a.Replaces(", "if false && !a.Replaces("),
		},
		{
			Name:  "a replay asks the validator",
			Bug:   "A replay calls the validator, whose answer differs from the one that was recorded.",
			Bias:  bias,
			File:  code,
			Edits: edit("if v != nil && v.Kind == history.SystemCall {", "if problem, _ := x.validate(h, e); v != nil && problem == nil {"),
		},
		{
			Name:  "a continue-as-new forgets the updates",
			Bug:   "The next execution does not know which updates were decided, and reads the answer of each repeat.",
			File:  "engine/ledger.go",
			Edits: edit("			return \"update:\" + e.SenderID\n", "			return \"\"\n"),
			Test:  "engine TestTheNextExecutionKnowsTheUpdatesThatWereDecided",
		},
		{
			Name:  "an acceptance does not name its point",
			Bug:   "A replay does not know at which event the code accepted an update that had waited for its handler.",
			Bias:  bias,
			File:  code,
			Edits: edit("		v.Payload = strconv.AppendInt(nil, x.cursor.visiting, 10)\n", ""),
		},
		{
			Name:  "a replay accepts an update early",
			Bug:   "A replay starts the handler of an update as soon as it has one, and not at the event at which the code accepted the update.",
			Bias:  bias,
			File:  code,
			Edits: edit("		if visited != x.cursor.visiting {\n", "		if visited < 0 {\n"),
		},
		{
			Name:  "an expired update is accepted",
			Bug:   "An update takes effect after the time until which its caller wanted it.",
			Bias:  bias,
			File:  code,
			Edits: edit("case e.FireAtMS > 0 && x.run.nowMS > e.FireAtMS:", "case e.FireAtMS > 0 && x.run.nowMS < 0:"),
		},
		{
			Name:  "a purge keeps the answers",
			Bug:   "The answers of a purged instance can still be read.",
			Bias:  bias,
			File:  "internal/host/sweep/delete.go",
			Edits: edit("if done && err == nil && whole {", "if done && err == nil && !whole {"),
		},
		{
			Name:  "an end does not answer other instances",
			Bug:   "An instance whose update another one has not answered when it ends waits forever.",
			Bias:  bias,
			File:  "internal/host/deciding/commit.go",
			Edits: edit("			c.Unanswered = r.X.Unanswered()\n", "			_ = r.X\n"),
		},
		{
			Name:  "a refused update of an instance is not answered",
			Bug:   "An instance that updates one which has ended or does not exist waits forever.",
			Bias:  bias,
			File:  "internal/host/deciding/update.go",
			Edits: edit("		p.Send.Reply = &Reply{Event: dispatch.Refusal(&m.Item, why)}\n", "		_ = dispatch.Refusal(&m.Item, why)\n"),
		},
		{
			Name:  "a build without a handler blames the history",
			Bug:   "During a deployment that adds the handler of an update, a process of the older build marks the instance as stuck, or makes it fail.",
			Bias:  bias,
			File:  "engine/patch.go",
			Edits: edit("case decides && x.updates[e.Name] == nil:", "case decides && x.updates[e.Name] == nil && e.EventID < 0:"),
		},
		{
			Name:  "a status without its answer is sent",
			Bug:   "If the store throttles the read of an answer, the caller learns that the instance has not decided.",
			Bias:  bias,
			File:  "client/update_wait.go",
			Edits: edit("errors.Is(err, store.ErrUnavailable) && !enough(UpdateSent):", "errors.Is(err, store.ErrUnavailable):"),
		},
	}
}
