package world

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
)

// plan holds the rates of the faults. Each run of a seed has only some of the faults, and some of
// these often, because a run with a little of everything finds little. Rates are in parts of
// 10,000.
type plan struct {
	rates [fault.None]int
	// calls are the rates of the faults that happen to calls, and their sums.
	calls [fault.CallsEnd][]int
	sums  [fault.CallsEnd]int
	// more is the amount by which some faults are more likely at some calls.
	more [fault.CallsEnd][fault.None]int
	// left is the number of faults still to come, until the end of the window.
	left  int
	until time.Time
}

func newPlan(c *choice.Choices) plan {
	var p plan
	if c.Source == nil || c.Free != nil {
		p.draw(c)
	}
	for sort, faults := range fault.OfCalls {
		for _, f := range faults {
			rate := p.rates[f] + p.more[sort][f]
			p.calls[sort] = append(p.calls[sort], rate)
			p.sums[sort] += rate
		}
	}
	p.left = []int{1, 3, 10, 40, 100}[c.IntN(c.At(choice.OfWorld, "faults"), 5)]
	p.until = epoch.Add([]time.Duration{10 * time.Minute, time.Hour, 12 * time.Hour, 72 * time.Hour}[c.IntN(c.At(choice.OfWorld, "faults until"), 4)])
	return p
}

// draw draws the rates of faults. They are the weights of the seed's decisions, not
// decisions themselves, so a run from a source needs none.
func (p *plan) draw(c *choice.Choices) {
	for f := range fault.Damaged { // This fault comes with its bias.
		if c.Uniform(2) == 0 {
			continue
		}
		p.rates[f] = [...]int{30, 100, 300, 1000}[c.Uniform(4)]
	}
	for _, f := range []fault.Kind{fault.Frozen, fault.Deployed, fault.OutOfTime, fault.Operator, fault.Forged, fault.FalseConflict, fault.Noise, fault.Purged} {
		p.rates[f] /= 5 // drawn at every step, or expensive
	}
	for _, f := range []fault.Kind{fault.TimerLate, fault.TimerTwice, fault.TimerFailed, fault.Skew, fault.SlowActivity, fault.Exhausted, fault.Copied, fault.Torn} {
		p.rates[f] *= 8 // seldom drawn
	}
	if c.Uniform(2) == 0 {
		p.rates[fault.Duplicate] = [...]int{100, 300, 1000, 3000}[c.Uniform(4)]
	}
	if c.Uniform(2) == 0 {
		p.rates[fault.Held] = [...]int{100, 300, 1000, 3000}[c.Uniform(4)]
	}
	if c.Uniform(2) == 0 {
		p.rates[fault.Stalled] = [...]int{100, 300, 1000, 3000}[c.Uniform(4)]
	}
	if c.Uniform(3) == 0 {
		p.rates[fault.TimerLost] = [...]int{1000, 3000, 8000}[c.Uniform(3)] // few are scheduled
	}
	for _, f := range []fault.Kind{fault.IndexLate, fault.ClientFails} {
		if c.Uniform(3) == 0 {
			p.rates[f] = [...]int{300, 1000, 3000}[c.Uniform(3)]
		}
	}
	p.rates[fault.OldReceipt] = 5000 // hardly ever drawn
	p.rates[fault.OfCallsPlace] = 0
	p.rates[fault.Outage], p.rates[fault.Restored] = 0, 0 // These faults come with their biases.
	more := func(f fault.Kind, sorts ...fault.Calls) {
		if rate := [...]int{0, 0, 1000, 4000}[c.Uniform(4)]; rate > 0 {
			for _, sort := range sorts {
				p.more[sort][f] = rate
			}
		}
	}
	more(fault.CrashAfter, fault.ReportingWrites, fault.ReportingCommits)
	more(fault.LandsLate, fault.ReportingWrites)
	more(fault.AnswerLost, fault.ReportingCommits)
	more(fault.CrashBefore, fault.Repeats)
	more(fault.AnswerLost, fault.Repeats)
}

// suits makes the faults that a bias needs frequent, because chance may have left them out.
func (p *plan) suits(one bias) {
	switch one {
	case deadLetters:
		p.rates[fault.Forged], p.left = max(p.rates[fault.Forged], 60), max(p.left, 10)
	case purges:
		p.rates[fault.Purged], p.left = max(p.rates[fault.Purged], 500), max(p.left, 10)
	case damages:
		p.rates[fault.Damaged], p.left = 150, max(p.left, 10)
	case restores:
		p.rates[fault.Restored], p.left = 300, max(p.left, 40)
	case tornReads:
		p.left = max(p.left, 10)
	case redrives:
		p.left = max(p.left, 100)
		if least := epoch.Add(2 * time.Hour); p.until.Before(least) {
			p.until = least
		}
	}
}

// hit decides whether the fault happens here, to the last recorded action.
func (w *World) hit(f fault.Kind) bool { return w.hitFor(f, w.lately) }

// hitFor decides whether the fault happens to the named action.
func (w *World) hitFor(f fault.Kind, who string) bool { return w.hitRate(f, w.plan.rates[f], who) }

// hitOften is hitFor for a place where the fault is most informative: the rate is one in
// two, in runs that have the fault.
func (w *World) hitOften(f fault.Kind, who string) bool {
	if w.plan.rates[f] == 0 {
		return w.hitRate(f, 0, who)
	}
	return w.hitRate(f, 5000, who)
}

// hitRate decides at a rate in parts of 10,000.
func (w *World) hitRate(f fault.Kind, rate int, who string) bool {
	if w.calm || rate == 0 && !w.Choices.Located() || !w.Choices.Chance(w.Choices.At(choice.OfFault.Of(int(f)), who), rate) {
		return false
	}
	if w.Tracing {
		w.Log("FAULT %s", f)
	}
	w.faulted(f)
	return true
}

// hitCall decides which fault happens to a call, or fault.None.
func (w *World) hitCall(sort fault.Calls, who string) fault.Kind {
	if w.calm || w.plan.sums[sort] == 0 && !w.Choices.Located() {
		return fault.None
	}
	n := w.Choices.Which(w.Choices.At(choice.OfFault.Of(fault.OfCallsSort), who), w.plan.calls[sort], w.plan.sums[sort])
	if n == 0 {
		return fault.None
	}
	f := fault.OfCalls[sort][n-1]
	w.faulted(f)
	return f
}

// How returns the spot for the details of a fault.
func (w *World) How(f fault.Kind) choice.Spot {
	return w.Choices.At(choice.OfFault.Of(int(f)), Particulars)
}

const Particulars = "how"

// faulted counts a fault.
func (w *World) faulted(f fault.Kind) {
	w.Faults[f]++
	w.plan.left--
}

// GoesWrong sets the rate of a fault, given by its number, in parts of 10,000.
func (w *World) GoesWrong(sort, rate int) { w.plan.rates[sort] = rate }
