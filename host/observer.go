package host

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// Observer is notified of the host's commits, counts, durations and problems. Its methods may be called
// from several goroutines at once and must not block.
type Observer interface {
	// Count adds n to a counter, under a reason of one or a few words.
	Count(c Counter, reason string, n int)
	// Timing reports how long something took.
	Timing(t Timing, d time.Duration)
	// Committed reports a commit after its dispatch: what was written, with payloads decoded, and
	// what was sent because of it. The method must not change anything in c.
	Committed(c Committed)
	// ProblemChanged reports that an instance is stuck or corrupt, each time that a try finds it in
	// that state, or that it has recovered. The host calls it after Committed for the same turn; a
	// turn that changes only the record has no Committed.
	ProblemChanged(c ProblemChange)
}

// Committed is a commit and its dispatch.
type Committed struct {
	// Context is the context of the turn that made the commit. It is derived from the context of the
	// invocation, and adds the instance to log lines.
	Context context.Context
	Turns   []store.Turn
	Actions []Action
	// Outcome is the state of the instance after the commit, in one word, as in CountTurns.
	Outcome string
	// StartedAt is when the turn started or, for its second and later commits, when the previous commit
	// was dispatched. At is when this commit was dispatched. Both are by the host's clock.
	StartedAt, At time.Time
	// RequestID of the invocation; empty if it has none.
	RequestID string
	// Messages is the number of messages that the turn processed; Causes are the messages among
	// them that have headers. Both are the same for each commit of the turn.
	Messages int
	Causes   []Cause
	// Before is the previous commit of the same turn, by execution and first event; zero for the first.
	Before struct{ ExecutionID, EventID int64 }
}

// Cause is a message with headers that a turn processed.
type Cause struct {
	// Kind of the message, as in docs/messages.md: "ActivityCompleted", ….
	Kind string
	// SourceEventID and Attempt belong to a completion.
	SourceEventID int64
	Attempt       int
	// Headers of the message; must not be changed.
	Headers map[string]string
}

// ProblemChange reports that an instance cannot continue, or can again.
type ProblemChange struct {
	Instance    string
	ExecutionID int64
	// At is the host's time.
	At time.Time
	// Problem, with its message decoded; nil if the instance has recovered.
	Problem *store.Problem
}

// Action is an operation outside the instance: a message, a schedule or a stop request that was sent.
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

// Counter is the name of a counter.
type Counter string

// The counters.
const (
	// CountTurns counts commits, by the state of the instance afterwards.
	CountTurns Counter = "turns"
	// CountMessages counts settled messages, by result: "recorded", "duplicate", "late", "exists",
	// "unknown_instance", …
	CountMessages Counter = "messages"
	// CountDeadLettered counts messages that were moved to a final dead-letter queue.
	CountDeadLettered Counter = "dead_lettered"
	// CountReturned counts messages that were reported as failed, by reason.
	CountReturned Counter = "returned"
	// CountDelayed counts messages that were requeued through the delay queue: "early" (their
	// instance has not started), "newer" (its history was written by a newer build), "patch" (the
	// history has a patch of a build that is being rolled out), "codec" (encoded with a codec that
	// this build does not have), "not_due", "grace" (a deletion during its grace period),
	// "receives" (shortly before the queue's receive limit), "not_registered" (an activity),
	// "limit" (an attempt without a permit of its Limit or Rate), "not_served" (an attempt whose
	// queue no process serves), "other_queue" (a message on its way to its queue).
	CountDelayed Counter = "delayed"
	// CountHeldUp counts messages that need an operator, each time they are received: messages that have
	// been requeued for an hour ("not_registered", "codec" and "newer", as in CountDelayed), and
	// attempts that are returned to the queue after a dozen receives ("returning").
	CountHeldUp Counter = "held_up"
	// CountForwarded counts messages of standard queues that were forwarded to the FIFO queue, by
	// kind; and, as "old", attempts that were sent to the activity queue again before SQS would
	// delete them because of their age.
	CountForwarded Counter = "forwarded"
	// CountConflicts counts commits that failed because another writer was first.
	CountConflicts Counter = "conflicts"
	// CountResent counts commits whose open actions were sent again.
	CountResent Counter = "resent"
	// CountStuck counts turns that could not continue, by kind; and, as "unwinding", deferred
	// functions that blocked while an instance was unloaded.
	CountStuck Counter = "stuck"
	// CountRecovered counts stuck or corrupt instances that continued.
	CountRecovered Counter = "recovered"
	// CountCorrupt counts damaged histories.
	CountCorrupt Counter = "corrupt"
	// CountCache counts turns as "warm" or "cold", and instances that were "evicted" from the cache.
	CountCache Counter = "cache"
	// CountLooping counts messages that are delayed because they exceed LoopSettings.Depth, as
	// "message" or "continue as new"; and, as "failed", instances that failed because of that
	// limit.
	CountLooping Counter = "looping"
	// CountArchive counts instances that the archive has stored before their purge ("kept"), and
	// instances that it could not store ("failed"). The latter are not purged, and the archive is
	// tried again later.
	CountArchive Counter = "archive"
	// CountInstanceEvents counts events about instances that were "published", or that "failed" and will
	// be published again later.
	CountInstanceEvents Counter = "instance_events"
	// CountPermits counts permits of limits across instances: "taken", "returned"; "waits" (an attempt
	// requests a permit again later), "called" (a permit is free for a waiting attempt, and its message
	// was made visible); and "rate waits" (an attempt requests a permit of a rate again later).
	CountPermits Counter = "permits"
	// CountAttempts counts attempts of activities, by outcome.
	CountAttempts Counter = "attempts"
)

// Timing is the name of a measured duration.
type Timing string

// The timings.
const (
	TimeRead     Timing = "read"
	TimeReplay   Timing = "replay"
	TimeCommit   Timing = "commit"
	TimeDispatch Timing = "dispatch"
	TimeTurn     Timing = "turn"
	TimeAttempt  Timing = "attempt"
	// TimePermit is how long an attempt waited for a permit of a limit across instances; only
	// attempts that waited and got a permit are counted.
	TimePermit Timing = "permit"
	// TimeMessageAge is how long a message waited until it was received: since it was first sent, or
	// since it was due.
	TimeMessageAge Timing = "message_age"
)

// NoObserver implements Observer and does nothing. Embed it to implement only some methods.
type NoObserver struct{}

// Count implements Observer.
func (NoObserver) Count(Counter, string, int) {}

// Timing implements Observer.
func (NoObserver) Timing(Timing, time.Duration) {}

// Committed implements Observer.
func (NoObserver) Committed(Committed) {}

// ProblemChanged implements Observer.
func (NoObserver) ProblemChanged(ProblemChange) {}

// Propagator returns headers, such as the context of a trace, that are added to all messages of a
// commit, in addition to the recorded headers. The commit is identified by instance, execution and the
// id of its first event. The function must return the same headers each time, because the host calls it
// again when it resends the messages. Headers that do not fit (at most 16 headers and 4,096 bytes in
// total) are left out.
type Propagator func(instance string, executionID, firstEventID int64) map[string]string
