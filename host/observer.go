package host

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// Observer is told what happens. Its methods may be called from several
// goroutines at once and must not block.
type Observer interface {
	// Count adds n to a counter, under a reason in one or few words.
	Count(c Counter, reason string, n int)
	// Timing says how long something took.
	Timing(t Timing, d time.Duration)
	// Committed tells of a commit after its dispatch: what was written, with
	// plain payloads, and what was sent because of it. Nothing in it may be
	// changed.
	Committed(c Committed)
	// ProblemChanged tells that an instance is stuck or corrupt, at each try that
	// shows it, or that it goes on again. It is called after the Committed of the
	// same turn; a turn that changes the record alone has no Committed.
	ProblemChanged(c ProblemChange)
}

// Committed is a commit and its dispatch.
type Committed struct {
	// Context of the turn that made it: of the invocation, and, for lines of a log,
	// of the instance.
	Context context.Context
	Turns   []store.Turn
	Actions []Action
	// Outcome in a word, as of CountTurns.
	Outcome string
	// Began is when the turn began, or, for its second and later commits, when the
	// commit before was dispatched. At is when this one was dispatched. Both are by
	// the host's clock.
	Began, At time.Time
	// RequestID of the invocation; empty where it has none.
	RequestID string
	// Messages is how many messages the turn was made of; Causes are the messages
	// among them that have headers. Both are the same for each of its commits.
	Messages int
	Causes   []Cause
	// Before is the commit that the same turn made before this one, by execution and
	// first event; zero for the first.
	Before struct{ ExecutionID, EventID int64 }
}

// Cause is a message that a turn was made of and that has headers.
type Cause struct {
	// Kind of the message, as in docs/messages.md: "ActivityCompleted", ….
	Kind string
	// SourceEventID and Attempt belong to a completion.
	SourceEventID int64
	Attempt       int
	// Headers of the message. Not to be changed.
	Headers map[string]string
}

// ProblemChange is what became of an instance that cannot go on, or can again.
type ProblemChange struct {
	Instance    string
	ExecutionID int64
	// At is the host's time.
	At time.Time
	// Problem, with its message in plain; nil if the instance goes on.
	Problem *store.Problem
}

// Action is something sent, scheduled or stopped outside.
type Action struct {
	// Kind in words: "activity", "timer", "child", "detached", "parent",
	// "stop", "remove timer", "cancel child", "terminate child",
	// "failure", "dead letter".
	Kind string
	// EventID of the scheduling event, 0 where there is none.
	EventID int64
	// Name of the activity or orchestration, or id of the instance.
	Name string
	// Due is when a timer is due.
	Due time.Time
}

// Counter is what is counted.
type Counter string

// The counters.
const (
	// CountTurns: commits, by how the turn stands afterwards.
	CountTurns Counter = "turns"
	// CountMessages: messages settled, by what became of them: "recorded",
	// "duplicate", "late", "exists", "unknown_instance", …
	CountMessages Counter = "messages"
	// CountDeadLettered: messages moved to a final dead-letter queue.
	CountDeadLettered Counter = "dead_lettered"
	// CountHandedBack: messages reported as failed, by reason.
	CountHandedBack Counter = "handed_back"
	// CountDelayed: messages sent round the delay queue: "early" (their instance has
	// not started), "newer" (its history is a newer build's), "patch" (it has a patch
	// of a build that is being rolled out), "codec" (sealed by one that this build
	// does not have), "not_due", "grace" (a deletion that is to wait), "receives"
	// (shortly before the queue's receive limit), "not_registered" (an activity),
	// "limit" (an attempt without a permit of its Limit or Rate), "not_served" (an attempt
	// whose queue nobody serves), "other_queue" (one on its way to its queue).
	CountDelayed Counter = "delayed"
	// CountForwarded: messages of standard queues sent on to the FIFO queue, by
	// kind; and "old": attempts sent to the activity queue anew, before SQS deletes
	// them for their age.
	CountForwarded Counter = "forwarded"
	// CountConflicts: commits that another writer won.
	CountConflicts Counter = "conflicts"
	// CountResent: commits whose open actions were sent again.
	CountResent Counter = "resent"
	// CountStuck: turns that could not go on, by kind; and "unwinding": deferred
	// functions that blocked while an instance was unloaded.
	CountStuck Counter = "stuck"
	// CountRecovered: stuck or corrupt instances that went on.
	CountRecovered Counter = "recovered"
	// CountCorrupt: histories found damaged.
	CountCorrupt Counter = "corrupt"
	// CountCache: turns by "warm" and "cold", and "evicted" instances.
	CountCache Counter = "cache"
	// CountLooping: what waits before it is delivered because it goes beyond
	// LoopSettings.Depth: "message" or "continue as new"; and "failed": instances that
	// were failed for it.
	CountLooping Counter = "looping"
	// CountArchive: instances that the archive has taken before their purge ("kept"),
	// and that it has not ("failed"): they are not purged, and tried again.
	CountArchive Counter = "archive"
	// CountInstanceEvents: events about instances that were "published", or "failed" to be
	// and are published again later.
	CountInstanceEvents Counter = "instance_events"
	// CountPermits: what happens to permits of limits over instances: "taken", "waits"
	// (an attempt stands in the line), "line full" (it asks again later), "called", "returned"; and
	// "rate waits" for an attempt that asks a rate again later.
	CountPermits Counter = "permits"
	// CountAttempts: attempts of activities, by outcome.
	CountAttempts Counter = "attempts"
)

// Timing is what is timed.
type Timing string

// The timings.
const (
	TimeRead     Timing = "read"
	TimeReplay   Timing = "replay"
	TimeCommit   Timing = "commit"
	TimeDispatch Timing = "dispatch"
	TimeTurn     Timing = "turn"
	TimeAttempt  Timing = "attempt"
	// TimePermit is how long an attempt had waited in the line of its limit over instances
	// when it got a permit; only attempts that waited count.
	TimePermit Timing = "permit"
	// TimeMessageAge is how long a message had waited when it was received: since
	// it was sent first, or was due.
	TimeMessageAge Timing = "message_age"
)

// NoObserver is told everything and does nothing. Embed it to implement only
// some methods.
type NoObserver struct{}

// Count implements Observer.
func (NoObserver) Count(Counter, string, int) {}

// Timing implements Observer.
func (NoObserver) Timing(Timing, time.Duration) {}

// Committed implements Observer.
func (NoObserver) Committed(Committed) {}

// ProblemChanged implements Observer.
func (NoObserver) ProblemChanged(ProblemChange) {}

// Propagator says which headers go with everything that a commit sends, besides the
// recorded headers: the context of a trace. The commit is named by instance,
// execution and the id of its first event. It must return the same each time,
// because the host asks again when it sends again. Headers that do not fit beside
// the others (at most 16, and 4,096 bytes together) are left out.
type Propagator func(instance string, executionID, firstEventID int64) map[string]string
