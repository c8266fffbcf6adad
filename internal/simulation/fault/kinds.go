package fault

import (
	"fmt"
)

// Kind is one kind of fault.
type Kind int

// The faults.
const (
	// Faults of a call that leaves a process.
	CrashBefore   Kind = iota // the process dies; the call had no effect
	CrashAfter                // the process dies; the call took effect
	CrashLate                 // the process dies; the call takes effect later
	Unavailable               // throttled: no effect
	AnswerLost                // took effect, but the answer says that the outcome is unknown
	LandsLate                 // the outcome is unknown; it takes effect later
	NeverLands                // the outcome is unknown; it had no effect
	Repeated                  // the client library makes the call twice
	FalseConflict             // a commit is refused although no other process wrote
	Slow                      // the call takes seconds
	OutOfTime                 // the call takes longer than the invocation has
	// Faults of a delivery.
	Expired     // a message in flight becomes visible again
	Unhandled   // a receive that no process handles
	AckLost     // a message that was handled is redelivered
	Ghost       // a message of a standard queue is redelivered after its deletion
	Resent      // its sender sends a message twice, minutes apart
	Disordered  // a message of a standard queue is delayed
	formerly1   // no longer a fault: kept decisions have its number
	formerly2   // likewise
	TimerLate   // a schedule fires up to a day late
	TimerTwice  // a schedule fires twice
	TimerFailed // a schedule's deliveries fail until it is in its dead-letter queue
	// Faults of the environment.
	SlowActivity // an activity takes minutes
	Frozen       // nothing runs for hours; then processes continue with their caches
	Skew         // a process starts whose clock is seconds off
	Deployed     // code that does not work is deployed
	Operator     // an operator sends a wake
	Forged       // a forger sends a made-up completion
	Noise        // a client sends something that is not a work item
	Purged       // an operator purges an instance, by force or not, or a client starts one again
	CountedUp    // a message has been received more often than it was handled
	OfCallsPlace // not a fault: decisions about calls have its number
	Exhausted    // the messages of a process that died have been received too often, and become dead letters
	Copied       // a standard queue delivers a message twice at once, both times as its first delivery
	Outage       // a service refuses everything, for all processes or for one role, for minutes to days
	Torn         // a read during a commit finds some of its items, and others not yet
	EntryRefused // some messages of a batch are refused, and the others are accepted
	Damaged      // the history of an instance is damaged, and restored later
	Duplicate    // a batch is delivered to two processes at its first receive, with the same receipts
	Held         // a batch is received, and delivered to a process later: its function was throttled
	Stalled      // a process pauses until its messages are visible again, and continues
	TimerLost    // a schedule does not fire, and its dead letter is refused; an operator wakes the instance an hour later
	IndexLate    // a list leaves out existing records
	ClientFails  // a client's call fails, whether or not it took effect, and is repeated
	OldReceipt   // a standard queue accepts an expired receipt
	Restored     // a message arrives from a history that was lost when the tables were restored
	None
)

var faultNames = [None]string{"crash before", "crash after", "crash, lands late", "unavailable", "answer lost", "lands late", "never lands",
	"repeated", "false conflict", "slow", "out of time", "expired", "unhandled", "ack lost", "ghost", "resent", "disordered", "",
	"", "timer late", "timer twice", "timer failed", "slow activity", "frozen", "skew", "deployed", "operator", "forged", "noise",
	"purged", "counted up", "", "exhausted", "copied", "outage", "torn", "entry refused", "damaged", "twin", "held", "stalled", "timer lost", "index late",
	"client fails", "old receipt", "restored"}

// String describes the fault.
func (f Kind) String() string {
	if f < 0 || f >= None {
		return fmt.Sprintf("fault %d", int(f))
	}
	return faultNames[f]
}

// Calls are the classes of calls, by what they do.
type Calls int

const (
	Reads Calls = iota
	Writes
	Commits
	// Writes after which a crash is most informative: those that end an execution, that set
	// the problem of an instance, or clear it.
	ReportingWrites
	ReportingCommits
	// A commit that was sent before, with an unknown outcome.
	Repeats
	CallsEnd
)

// OfCallsSort is the sort of the decisions about calls.
const OfCallsSort = int(OfCallsPlace)

// OfCalls are the faults that may happen to a call of each class, at most one of them.
// Their order is part of the meaning of recorded choices.
var OfCalls = [CallsEnd][]Kind{
	{CrashBefore, Unavailable},
	{CrashBefore, CrashAfter, CrashLate, Unavailable, AnswerLost, LandsLate, NeverLands, Repeated},
	{CrashBefore, CrashAfter, CrashLate, Unavailable, AnswerLost, LandsLate, NeverLands, Repeated, FalseConflict},
	{CrashBefore, CrashAfter, CrashLate, Unavailable, AnswerLost, LandsLate, NeverLands, Repeated},
	{CrashBefore, CrashAfter, CrashLate, Unavailable, AnswerLost, LandsLate, NeverLands, Repeated, FalseConflict},
	{CrashBefore, CrashAfter, CrashLate, Unavailable, AnswerLost, LandsLate, NeverLands, Repeated},
}

// Counts counts faults by kind.
type Counts [None]int

func (c *Counts) Total() (n int) {
	for _, k := range c {
		n += k
	}
	return n
}
