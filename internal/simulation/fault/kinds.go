package fault

import (
	"fmt"
)

// Kind is one kind of what may go wrong.
type Kind int

// The faults.
const (
	// Of a call that leaves a process.
	CrashBefore   Kind = iota // the process dies; the call had no effect
	CrashAfter                // the process dies; the call took effect
	CrashLate                 // the process dies; the call takes effect later
	Unavailable               // throttled: no effect
	AnswerLost                // took effect, but the answer says that nobody knows
	LandsLate                 // nobody knows; it takes effect later
	NeverLands                // nobody knows; it had no effect
	Repeated                  // the client library makes the call twice
	FalseConflict             // a commit is refused although nobody else wrote
	Slow                      // the call takes seconds
	OutOfTime                 // the call takes longer than the invocation has
	// Of a delivery.
	Expired     // a message in flight becomes visible again
	Unhandled   // a receive that nobody handles
	AckLost     // a message that was handled comes again
	Ghost       // a message of a standard queue comes again after its deletion
	Resent      // its sender sends a message twice, minutes apart
	Disordered  // a message of a standard queue is delayed
	formerly1   // not a fault any more: kept decisions have its number
	formerly2   // the same
	TimerLate   // a schedule fires up to a day late
	TimerTwice  // a schedule fires twice
	TimerFailed // a schedule's deliveries fail until it is in its dead-letter queue
	// Of the surroundings.
	SlowActivity // an activity takes minutes
	Frozen       // nothing runs for hours, and goes on with what it had cached
	Skew         // a process starts whose clock is seconds off
	Deployed     // code that does not work is deployed
	Operator     // somebody sends a wake
	Forged       // somebody sends a completion that is made up
	Noise        // somebody sends something that is not a work item
	Purged       // somebody purges an instance, by force or not, or starts one again
	CountedUp    // a message has been received more often than it was handled
	OfCallsPlace // not a fault: decisions about calls have its number
	Exhausted    // the messages of a process that died have been received too often, and are dead letters
	Copied       // a standard queue hands out a message twice at once, both times as its first delivery
	Outage       // a service refuses everything, to everybody or to one role, for minutes to days
	Torn         // whoever reads beside a commit finds some of its items, and others not yet
	EntryRefused // some messages of a batch are refused, and the others are in
	Damaged      // the history of an instance is damaged, and restored later
	Twin         // a batch is handed to two processes at its first receive, with the same receipts
	Held         // a batch is received, and handed to a process later: its function was throttled
	Stalled      // a process stands still until its messages are visible again, and goes on
	TimerLost    // a schedule does not fire, and its dead letter is refused; somebody wakes the instance an hour later
	IndexLate    // a list leaves out records that are there
	ClientFails  // a client's call fails, whether or not it took effect, and is made again
	OldReceipt   // a standard queue takes a receipt whose delivery is over
	None
)

var faultNames = [None]string{"crash before", "crash after", "crash, lands late", "unavailable", "answer lost", "lands late", "never lands",
	"repeated", "false conflict", "slow", "out of time", "expired", "unhandled", "ack lost", "ghost", "resent", "disordered", "",
	"", "timer late", "timer twice", "timer failed", "slow activity", "frozen", "skew", "deployed", "operator", "forged", "noise",
	"purged", "counted up", "", "exhausted", "copied", "outage", "torn", "entry refused", "damaged", "twin", "held", "stalled", "timer lost", "index late",
	"client fails", "old receipt"}

// String returns the fault in words.
func (f Kind) String() string {
	if f < 0 || f >= None {
		return fmt.Sprintf("fault %d", int(f))
	}
	return faultNames[f]
}

// The faults of calls, by what the calls do.
type Calls int

const (
	Reads Calls = iota
	Writes
	Commits
	// Of the writes after which a crash tells most: those that end an execution,
	// that mark an instance as stuck, or take the mark away.
	TellingWrites
	TellingCommits
	// Of a commit that was sent before, whose answer nobody knew.
	Repeats
	CallsEnd
)

// OfCallsSort is the sort of the decisions about them.
const OfCallsSort = int(OfCallsPlace)

// OfCalls are those that may happen to a call of each sort, at most one of
// them. The order is part of what recorded choices mean.
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
