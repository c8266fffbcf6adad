package mutation

// limitMutations are of limits over instances.
func limitMutations() []Mutation {
	return []Mutation{
		{
			Name:  "one more may hold a permit",
			Bug:   "An attempt takes a permit though all are taken.",
			File:  "internal/limits/state.go",
			Bias:  "limits",
			Edits: edit("case free > ahead:", "case free+1 > ahead:"),
		},
		{
			Name:  "a permit is over before its attempt",
			Bug:   "The permit of an attempt that goes on is another's.",
			File:  "internal/host/worker/line.go",
			Bias:  "limits",
			Edits: edit("now.Add(p.Limit.Timeout+w.Settings.Attempt.VisibilityMargin))", "now.Add(p.Limit.Timeout/20))"),
		},
		{
			Name:  "an attempt begins after the time of its permit",
			Bug:   "A process that stood still behind taking a permit begins the attempt.",
			File:  "internal/host/worker/permit.go",
			Bias:  "limits",
			Rare:  true,
			Edits: edit("return late <= 0 || p.Limit.Timeout > 0", "return late <= 0 || p.Limit.Timeout > -1<<60"),
		},
		{
			Name:  "a new attempt passes those who wait",
			Bug:   "An attempt takes a permit that is for the first in the line.",
			File:  "internal/limits/state.go",
			Bias:  "limits",
			Edits: edit("	before := next.Line\n", "	before := next.Line[:0]\n"),
		},
		{
			Name:  "the line has room for one",
			Bug:   "An attempt that waits takes the place of those before it.",
			File:  "internal/limits/state.go",
			Bias:  "limits",
			Edits: edit("next.Line = append(next.Line, Waiting", "next.Line = append(next.Line[:0], Waiting"),
		},
		{
			Name:  "nobody in the line is called",
			Bug:   "A permit is free, and the message of the first in the line stays hidden.",
			File:  "internal/host/worker/line.go",
			Bias:  "limits",
			Edits: edit("SetVisibility(sharing.Alone(ctx), 0, queue.Message", "SetVisibility(sharing.Alone(ctx), limits.MaxWait, queue.Message"),
		},
		{
			Name:  "a permit is not given back",
			Bug:   "The permit of an attempt that has returned stays taken until its time is over.",
			File:  "internal/host/worker/line.go",
			Bias:  "limits",
			Edits: edit("if !s.Has(held.token) && !held.unsure {", "if !held.unsure {"),
		},
		{
			Name:  "an attempt with a permit looks for no stop",
			Bug:   "The permit of an attempt that is to stop is free only when its code gives a heartbeat or returns.",
			File:  "internal/host/worker/take.go",
			Bias:  "limits",
			Edits: edit("	if len(p.permits) > 0 {\n", "	if len(p.permits) > 1 {\n"),
		},
		{
			Name:  "a closed limit lets one begin",
			Bug:   "An attempt takes a permit of a limit that an operator has set to 0.",
			File:  "internal/limits/state.go",
			Bias:  "limits",
			Edits: edit("return max(s.Set, 0)", "return max(s.Set, 1)"),
		},
		{
			Name:  "an attempt undoes what an operator has set",
			Bug:   "The number of a limit that an operator has set is lost with the next change by a worker.",
			File:  "internal/limits/state.go",
			Bias:  "limits",
			Edits: edit("	s.Version++\n", "	s.Version++\n	s.Set = 0\n"),
		},
		{
			Name:  "a limit is changed from what it was before",
			Bug:   "A process writes a limit though another has changed it since it was read.",
			File:  "internal/limits/item.go",
			Bias:  "limits",
			Edits: edit("s.Version = c.Attempt", "s.Version = c.Attempt + 5"),
		},
		{
			Name:  "a rate is free before its span is over",
			Bug:   "More attempts begin within the span of a rate than it lets through.",
			File:  "internal/host/worker/rate.go",
			Bias:  "limits",
			Edits: edit("Until: now.Add(span)}", "Until: now.Add(span / 2)}"),
		},
		{
			Name:  "a permit of a rate is taken that is not free",
			Bug:   "An attempt passes a rate with a permit that another has passed with just now.",
			File:  "internal/host/worker/rate.go",
			Bias:  "limits",
			Edits: edit("if !found.Until.After(now) {", "if !found.Until.After(now) || found.Attempt%2 == 1 {"),
		},
	}
}
