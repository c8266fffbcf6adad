package simulation

import (
	"fmt"
	"math/rand/v2"
	"time"
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
	faultEnd
)

var faultNames = [faultEnd]string{"crash before", "crash after", "crash, lands late", "unavailable", "answer lost", "lands late", "never lands",
	"repeated", "false conflict", "slow", "out of time", "expired", "unhandled", "ack lost", "ghost", "resent", "disordered", "mixed batch",
	"timer early", "timer late", "timer twice", "timer failed", "slow activity", "frozen", "skew", "deployed", "operator", "forged"}

// String returns the fault in words.
func (f Fault) String() string {
	if f < 0 || f >= faultEnd {
		return fmt.Sprintf("fault %d", int(f))
	}
	return faultNames[f]
}

// plan says how often what goes wrong in a run. Each run has only some of the
// faults, some of them often: a run with a little of everything finds little.
type plan struct {
	rates [faultEnd]float64
	// left is how many faults are still to come, until the end of the window.
	left  int
	until time.Time
}

func newPlan(r *rand.Rand) plan {
	var p plan
	for f := range faultEnd {
		if r.IntN(2) == 0 {
			continue
		}
		p.rates[f] = []float64{0.003, 0.01, 0.03, 0.1}[r.IntN(4)]
	}
	for _, f := range []Fault{Frozen, Deployed, OutOfTime, Operator, Forged, FalseConflict} {
		p.rates[f] /= 5 // drawn at every step, or costly
	}
	for _, f := range []Fault{TimerEarly, TimerLate, TimerTwice, TimerFailed, Skew, SlowActivity} {
		p.rates[f] *= 8 // seldom drawn
	}
	p.left = []int{1, 3, 10, 40, 100}[r.IntN(5)]
	p.until = epoch.Add([]time.Duration{10 * time.Minute, time.Hour, 12 * time.Hour, 72 * time.Hour}[r.IntN(4)])
	return p
}

// hit draws whether the fault happens here.
func (w *World) hit(f Fault) bool {
	rate := w.plan.rates[f]
	if rate == 0 || w.calm || w.random.Float64() >= rate {
		return false
	}
	w.faulted(f)
	return true
}

// faulted counts a fault.
func (w *World) faulted(f Fault) {
	w.Faults[f]++
	w.plan.left--
}
