package world

import (
	"context"
	"log/slog"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/simulation/program"
	"github.com/turnstile-go/turnstile/store"
)

// Watcher is told of all that the processes of a world do. It changes nothing of
// what happens: it looks, and violates what it finds broken.
type Watcher interface {
	storeWatcher
	queueWatcher
	processWatcher
	activityWatcher
	// End: the faults have stopped, and nothing is left to come.
	End()
}

// Write is a commit, or a change of a record alone, on its way to the store.
type Write struct {
	By       *Process
	In       *Invocation
	Instance string
	// Commit with plain payloads, and as the store gets it; nil for a change alone.
	Commit, Sealed *store.Commit
	Change         *store.RecordChange
	// Notes are the watcher's.
	Notes any
}

// storeWatcher is told of calls of the store.
type storeWatcher interface {
	// Writes: a process is about to send a write; Meets: it is about to take
	// effect; Landed: it has, and the process need not live; Answered: the process
	// was told what became of it.
	Writes(x *Write)
	Meets(x *Write)
	Landed(x *Write)
	Answered(x *Write, err error)
	Reads(p *Process, instance string, turns []store.Turn, err error)
	Lists(p *Process, records []store.Record)
	// Hides: an instance is hidden, which was at this execution.
	Hides(inv *Invocation, instance string, execution int64)
	// Deletes: the histories of an instance are about to be deleted, up to an execution.
	Deletes(instance string, upTo int64)
}

// queueWatcher is told of what is sent, and of schedules.
type queueWatcher interface {
	// BeginsSend: a process has a message to send; Sends: it is about to call the
	// queue with it; Takes: the queue takes it; Accepted: the process was told so.
	BeginsSend(p *Process, body string)
	Sends(p *Process, to *Queue, m *queue.Outgoing)
	Takes(p *Process, to *Queue, m *queue.Outgoing)
	Accepted(p *Process, body string)
	// Schedules: a process is about to create a schedule with this body; Scheduled:
	// it has tried to create or to remove the one of this name.
	Schedules(p *Process, body string)
	Scheduled(p *Process, name string)
	// Expires: a queue deletes a message by its age.
	Expires(name string, m queue.Message)
}

// processWatcher is told of invocations.
type processWatcher interface {
	Receives(inv *Invocation)
	Dies(inv *Invocation)
	OutOfTime(inv *Invocation)
	// Returned: the invocation hands back the messages that have failed.
	Returned(inv *Invocation, failed map[string]bool)
	// Acknowledged: a message was deleted from its queue.
	Acknowledged(inv *Invocation, m Delivered)
	// Counts and Logs: what a process told its observer, and its log; given are the
	// keys that all lines of the logger have.
	Counts(p *Process, c host.Counter, reason string, n int)
	Logs(p *Process, r *slog.Record, given []string)
}

// activityWatcher is told of attempts of activities.
type activityWatcher interface {
	AttemptBegins(p *Process, in *program.Work, info *activity.Info)
	// Works: an attempt begins to take its time.
	Works(p *Process)
	// Beats: a heartbeat is about to be recorded; Told: a process hears how an
	// activity stands, in answer to a heartbeat or ahead of an attempt.
	Beats(p *Process, key store.ActivityKey, beat store.Heartbeat)
	Told(p *Process, key store.ActivityKey, state *store.ActivityState, beat bool)
	HasBeaten(ctx context.Context, p *Process, info *activity.Info)
	// FailsFinally: an attempt ends with an error behind which none follows.
	FailsFinally(p *Process, info *activity.Info)
}
