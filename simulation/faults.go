package simulation

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/simulation/choice"
)

// Fault is one kind of what may go wrong.
type Fault int

// The faults.
const (
	// Of a call that leaves a process.
	CrashBefore   Fault = iota // the process dies; the call had no effect
	CrashAfter                 // the process dies; the call took effect
	CrashLate                  // the process dies; the call takes effect later
	Unavailable                // throttled: no effect
	AnswerLost                 // took effect, but the answer says that nobody knows
	LandsLate                  // nobody knows; it takes effect later
	NeverLands                 // nobody knows; it had no effect
	Repeated                   // the client library makes the call twice
	FalseConflict              // a commit is refused although nobody else wrote
	Slow                       // the call takes seconds
	OutOfTime                  // the call takes longer than the invocation has
	// Of a delivery.
	Expired     // a message in flight becomes visible again
	Unhandled   // a receive that nobody handles
	AckLost     // a message that was handled comes again
	Ghost       // a message of a standard queue comes again after its deletion
	Resent      // its sender sends a message twice, minutes apart
	Disordered  // a message of a standard queue is delayed
	MixedBatch  // a batch has messages of several queues
	TimerEarly  // a schedule fires up to a minute early
	TimerLate   // a schedule fires up to an hour late
	TimerTwice  // a schedule fires twice
	TimerFailed // a schedule's deliveries fail until it is in its dead-letter queue
	// Of the surroundings.
	SlowActivity // an activity takes minutes
	Frozen       // nothing runs for hours, and goes on with what it had cached
	Skew         // a process starts whose clock is minutes off
	Deployed     // code that does not work is deployed
	Operator     // somebody sends a wake
	Forged       // somebody sends a completion that is made up
	Noise        // somebody sends what is no work item
	Purged       // somebody purges an instance, by force or not, or starts one again
	CountedUp    // a message has been received more often than it was handled
	ofCallsPlace // no fault: its number is that of the decisions about calls
	Exhausted    // the messages of a process that died have been received too often, and are dead letters
	Copied       // a standard queue hands out a message twice at once, both times as its first delivery
	Outage       // a service refuses everything, to everybody or to one role, for minutes to days
	Torn         // whoever reads beside a commit finds some of its items, and others not yet
	EntryRefused // some messages of a batch are refused, and the others are in
	faultEnd
)

var faultNames = [faultEnd]string{"crash before", "crash after", "crash, lands late", "unavailable", "answer lost", "lands late", "never lands",
	"repeated", "false conflict", "slow", "out of time", "expired", "unhandled", "ack lost", "ghost", "resent", "disordered", "mixed batch",
	"timer early", "timer late", "timer twice", "timer failed", "slow activity", "frozen", "skew", "deployed", "operator", "forged", "noise",
	"purged", "counted up", "", "exhausted", "copied", "outage", "torn", "entry refused"}

// String returns the fault in words.
func (f Fault) String() string {
	if f < 0 || f >= faultEnd {
		return fmt.Sprintf("fault %d", int(f))
	}
	return faultNames[f]
}

// The faults of calls, by what the calls do.
type callFaults int

const (
	readFaults callFaults = iota
	writeFaults
	commitFaults
	// Of the writes behind which a crash tells most: those that end an execution,
	// that mark an instance as stuck, or take the mark away.
	tellingWriteFaults
	tellingCommitFaults
	// Of a commit that was sent before, whose answer nobody knew.
	repeatFaults
	callFaultsEnd
)

// ofCalls is the sort of the decisions about them.
const ofCalls = int(ofCallsPlace)

// faultsOfCalls are those that may happen to a call of each sort, at most one of
// them. The order is part of what recorded choices mean.
var faultsOfCalls = [callFaultsEnd][]Fault{
	{CrashBefore, Unavailable},
	{CrashBefore, CrashAfter, CrashLate, Unavailable, AnswerLost, LandsLate, NeverLands, Repeated},
	{CrashBefore, CrashAfter, CrashLate, Unavailable, AnswerLost, LandsLate, NeverLands, Repeated, FalseConflict},
	{CrashBefore, CrashAfter, CrashLate, Unavailable, AnswerLost, LandsLate, NeverLands, Repeated},
	{CrashBefore, CrashAfter, CrashLate, Unavailable, AnswerLost, LandsLate, NeverLands, Repeated, FalseConflict},
	{CrashBefore, CrashAfter, CrashLate, Unavailable, AnswerLost, LandsLate, NeverLands, Repeated},
}

// plan says how often what goes wrong in a run. Each run of a seed has only some
// of the faults, some of them often: a run with a little of everything finds
// little. Rates are in parts of 10,000.
type plan struct {
	rates [faultEnd]int
	// calls are the rates of those that happen to calls, and their sums.
	calls [callFaultsEnd][]int
	sums  [callFaultsEnd]int
	// more is by how much some are more likely at some calls.
	more [callFaultsEnd][faultEnd]int
	// left is how many faults are still to come, until the end of the window.
	left  int
	until time.Time
}

func newPlan(c *choice.Choices) plan {
	var p plan
	if c.Source == nil || c.Free != nil {
		p.draw(c)
	}
	for sort, faults := range faultsOfCalls {
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

// draw draws rates. They are how the seed weighs its decisions, and no decisions
// themselves: a source needs none.
func (p *plan) draw(c *choice.Choices) {
	for f := range faultEnd {
		if c.Uniform(2) == 0 {
			continue
		}
		p.rates[f] = [...]int{30, 100, 300, 1000}[c.Uniform(4)]
	}
	for _, f := range []Fault{Frozen, Deployed, OutOfTime, Operator, Forged, FalseConflict, Noise, Purged} {
		p.rates[f] /= 5 // drawn at every step, or costly
	}
	for _, f := range []Fault{TimerEarly, TimerLate, TimerTwice, TimerFailed, Skew, SlowActivity, Exhausted, Copied, Torn} {
		p.rates[f] *= 8 // seldom drawn
	}
	p.rates[ofCallsPlace] = 0
	p.rates[Outage] = 0 // They come with their bias.
	more := func(f Fault, sorts ...callFaults) {
		if rate := [...]int{0, 0, 1000, 4000}[c.Uniform(4)]; rate > 0 {
			for _, sort := range sorts {
				p.more[sort][f] = rate
			}
		}
	}
	more(CrashAfter, tellingWriteFaults, tellingCommitFaults)
	more(LandsLate, tellingWriteFaults)
	more(AnswerLost, tellingCommitFaults)
	more(CrashBefore, repeatFaults)
	more(AnswerLost, repeatFaults)
}

// hit decides whether the fault happens here: behind what was done last.
func (w *World) hit(f Fault) bool { return w.hitFor(f, w.lately) }

// hitFor decides whether the fault happens to what is named.
func (w *World) hitFor(f Fault, who string) bool { return w.hitRate(f, w.plan.rates[f], who) }

// hitOften is hitFor where the fault tells most: in one of two cases, in runs that
// have it.
func (w *World) hitOften(f Fault, who string) bool {
	if w.plan.rates[f] == 0 {
		return w.hitRate(f, 0, who)
	}
	return w.hitRate(f, 5000, who)
}

// hitRate decides at a rate in 10,000.
func (w *World) hitRate(f Fault, rate int, who string) bool {
	if w.calm || rate == 0 && !w.choices.Located() || !w.choices.Chance(w.choices.At(choice.OfFault.Of(int(f)), who), rate) {
		return false
	}
	if w.tracing {
		w.log("FAULT %s", f)
	}
	w.faulted(f)
	return true
}

// hitCall decides which fault happens to a call, or faultEnd.
func (w *World) hitCall(sort callFaults, who string) Fault {
	if w.calm || w.plan.sums[sort] == 0 && !w.choices.Located() {
		return faultEnd
	}
	n := w.choices.Which(w.choices.At(choice.OfFault.Of(ofCalls), who), w.plan.calls[sort], w.plan.sums[sort])
	if n == 0 {
		return faultEnd
	}
	f := faultsOfCalls[sort][n-1]
	w.faulted(f)
	return f
}

// how is the spot of the particulars of a fault.
func (w *World) how(f Fault) choice.Spot { return w.choices.At(choice.OfFault.Of(int(f)), particulars) }

const particulars = "how"

// faulted counts a fault.
func (w *World) faulted(f Fault) {
	w.Faults[f]++
	w.plan.left--
}

// faultCounts counts faults by kind.
type faultCounts [faultEnd]int

func (c *faultCounts) total() (n int) {
	for _, k := range c {
		n += k
	}
	return n
}
