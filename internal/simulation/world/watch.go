package world

import (
	"context"
	"log/slog"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/store"
)

// Watcher looks at a world. The world calls its methods at the moments that they
// name, while nothing else runs. It must change nothing of what happens; what it
// finds broken it reports by World.Violate.
type Watcher interface {
	storeWatcher
	queueWatcher
	busWatcher
	processWatcher
	activityWatcher
	// End is called when the faults have stopped and nothing is left to come.
	End()
}

// Write is one write of a process to the store: a commit, or a change of a record
// alone. A process may be dead when it lands.
type Write struct {
	// By is the process, In its invocation.
	By *Process
	In *Invocation
	// Instance that it is about.
	Instance string
	// Commit has plain payloads, Sealed is the same as the store gets it. Both are
	// nil for a change of a record alone.
	Commit, Sealed *store.Commit
	// Change of the record; nil if it stays as it is.
	Change *store.RecordChange
	// Notes are for the watcher to keep what it wants to know later.
	Notes any
}

// storeWatcher looks at the calls that processes make of the store.
type storeWatcher interface {
	// Writes is called when a process is about to send a write.
	Writes(x *Write)
	// Meets is called just before a write takes effect: at once, later, or never.
	Meets(x *Write)
	// Landed is called when a write has taken effect.
	Landed(x *Write)
	// Answered is called when the process has its answer, which may be wrong: err
	// may say that nobody knows, though the write has landed or will.
	Answered(x *Write, err error)
	// WritesAhead is called when a process is about to write a part ahead of a turn, with sealed
	// payloads.
	WritesAhead(p *Process, part *store.Turn)
	// Reads is called with what a process has read of an execution.
	Reads(p *Process, instance string, turns []store.Turn, err error)
	// Describes is called with a record that a process has read, Lists with those that
	// it has listed.
	Describes(p *Process, r *store.Record)
	Lists(p *Process, records []store.Record)
	// Hides is called when a purge has hidden an instance whose last execution was
	// this one.
	Hides(inv *Invocation, instance string, execution int64)
	// Deletes is called before histories of an instance are deleted, up to and with
	// an execution.
	Deletes(instance string, upTo int64)
}

// queueWatcher looks at messages and schedules.
type queueWatcher interface {
	// BeginsSend is called when a process begins to send a message, Sends before each
	// call of the queue that has it, Takes when the queue takes it, and Accepted when
	// the process is told that the queue has it.
	BeginsSend(p *Process, body string)
	Sends(p *Process, to *Queue, m *queue.Outgoing)
	Takes(p *Process, to *Queue, m *queue.Outgoing)
	Accepted(p *Process, body string)
	// Schedules is called before a process creates a schedule that will send this
	// body, Scheduled when it has tried to create or to remove a schedule.
	Schedules(p *Process, body string)
	Scheduled(p *Process, name string)
	// HandsOut is called when a queue of activities has handed out some of its visible messages,
	// in a run whose activities name queues.
	HandsOut(from *Queue, visible, msgs []queue.Message)
	// Redrives is called before somebody sends a dead letter again.
	Redrives(body string)
	// Expires is called when a queue deletes a message because of its age.
	Expires(name string, m queue.Message)
}

// busWatcher looks at events about instances.
type busWatcher interface {
	// Publishes is called when the bus has taken an event about an instance.
	Publishes(p *Process, e *host.InstanceEvent)
}

// processWatcher looks at invocations.
type processWatcher interface {
	// Receives is called before an invocation begins, with its batch in inv.
	Receives(inv *Invocation)
	// Dies is called when the process dies in the middle of an invocation.
	Dies(inv *Invocation)
	// OutOfTime is called when an invocation is past its deadline, just before
	// its process is killed.
	OutOfTime(inv *Invocation)
	// Returned is called when an invocation has returned; failed are the ids of the
	// messages that it hands back.
	Returned(inv *Invocation, failed map[string]bool)
	// Acknowledged is called when a message was deleted from its queue, by the event
	// source or by the process.
	Acknowledged(inv *Invocation, m Delivered)
	// Counts is called with what a process tells its observer, Logs with each line of
	// its log; given are the keys that the logger has for all its lines.
	Counts(p *Process, c host.Counter, reason string, n int)
	Logs(p *Process, r *slog.Record, given []string)
}

// activityWatcher looks at attempts of activities.
type activityWatcher interface {
	// AttemptBegins is called when the code of an activity begins to run, Works when
	// it begins to take the time that it takes, AttemptEnds when it returns.
	AttemptBegins(p *Process, in *program.Work, info *activities.Info)
	AttemptEnds(p *Process, info *activities.Info)
	Works(p *Process)
	// Beats is called before a heartbeat is recorded, HasBeaten when the code that
	// gave it goes on.
	Beats(p *Process, key store.ActivityKey, beat store.Heartbeat)
	HasBeaten(ctx context.Context, p *Process, info *activities.Info)
	// Stops is called before a process asks an activity to stop.
	Stops(p *Process, key store.ActivityKey, reason string)
	// Told is called when a process has read how an activity stands; beat says that
	// it was the answer to a heartbeat.
	Told(p *Process, key store.ActivityKey, state *store.ActivityState, beat bool)
	// PassedRate is called when a process was let through a rate over instances, for which
	// it has asked at that time.
	PassedRate(p *Process, key string, asked time.Time)
	// RateSet is called when an operator has set a rate to n in a span: 0 for n for what the code
	// says, -1 for none that may begin; 0 for the span for that of the code.
	RateSet(key string, n int, span time.Duration)
	// ChangesLimit is called when a process is about to write what has become of a limit over
	// instances, LimitChanged when that has taken effect, perhaps later and when the process is
	// dead, and ToldOfLimit when the process is told so. asked is when it has begun the call.
	ChangesLimit(p *Process, key string, after store.Claim)
	LimitChanged(p *Process, in *Invocation, key string, before, after store.Claim, asked time.Time)
	ToldOfLimit(p *Process, key string, after store.Claim)
	// Shows is called when a process makes a message of a queue visible at once, or hides it for the while
	// that its attempt waits for a permit.
	Shows(p *Process, in *Queue, message string)
	// FailsFinally is called when an attempt ends with an error that forbids another.
	FailsFinally(p *Process, info *activities.Info)
	// AsksToWait is called when an attempt ends with an error that says after which
	// delay the next one is to be made.
	AsksToWait(p *Process, info *activities.Info, d time.Duration)
}
