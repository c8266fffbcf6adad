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

// Watcher observes a world. The world calls each method when the event in its name happens, while nothing else runs. A
// Watcher must not affect the run; it reports broken invariants with World.Violate.
type Watcher interface {
	storeWatcher
	queueWatcher
	busWatcher
	processWatcher
	activityWatcher
	// End is called when the faults have stopped and nothing is left to happen.
	End()
}

// Write is one write of a process to the store: a commit, or only a change of a record. The process may be dead when it lands.
type Write struct {
	// By is the process, In its invocation.
	By *Process
	In *Invocation
	// Instance is the instance to which it writes.
	Instance string
	// Commit has decoded payloads; Encoded is the same commit as the store gets it. Both are nil if
	// only a record changes.
	Commit, Encoded *store.Commit
	// Sent is what the store gets: without the parts of a copy that are stored already.
	Sent *store.Commit
	// Change is the change of the record; nil if it stays the same.
	Change *store.RecordChange
	// Notes holds the watcher's data about the change.
	Notes any
}

// storeWatcher observes the calls that processes make to the store.
type storeWatcher interface {
	// Writes is called when a process is about to send a write.
	Writes(x *Write)
	// Meets is called just before a write reaches the store, whether it takes effect or not.
	Meets(x *Write)
	// Landed is called when a write has taken effect.
	Landed(x *Write)
	// Answered is called when the process gets its answer, which may be wrong: err may say that the outcome is unknown, although the write
	// has landed or will.
	Answered(x *Write, err error)
	// WritesPart is called when a process is about to write a part of a copy, with encoded payloads.
	WritesPart(p *Process, part *store.Commit)
	// ReadsPart is called when a process has read what is stored under a number that is not current.
	ReadsPart(p *Process, instance string, execution int64)
	// Reads is called with the turns of an execution that a process has read.
	Reads(p *Process, instance string, turns []store.Turn, err error)
	// Describes is called with a record that a process has read, and Lists with the records that it
	// has listed.
	Describes(p *Process, r *store.Record)
	Lists(p *Process, records []store.Record)
	// Hides is called when a purge has hidden an instance whose last execution was this one.
	Hides(inv *Invocation, instance string, execution int64)
	// PutsAnswer is called when a process has put an answer to an update, which the store may have ignored: before and after
	// are what it had, nil for no answer. The process may be dead. ReadsAnswer is called with an answer that a process has
	// read, or a client, for which p is nil.
	PutsAnswer(p *Process, a, before, after *store.Answer)
	ReadsAnswer(p *Process, a *store.Answer)
	// Deletes is called before histories of an instance are deleted, up to and including an execution.
	Deletes(instance string, upTo int64)
}

// queueWatcher observes messages and schedules.
type queueWatcher interface {
	// StartsSend is called when a process starts to send a message, Sends before each queue call that contains it, Takes when the queue
	// accepts it, and Accepted when the process learns that the queue has it.
	StartsSend(p *Process, body string)
	Sends(p *Process, to *Queue, m *queue.Outgoing)
	Takes(p *Process, to *Queue, m *queue.Outgoing)
	Accepted(p *Process, body string)
	// Schedules is called before a process creates a schedule that will send this body, Scheduled when it has tried to create or to remove
	// a schedule.
	Schedules(p *Process, body string)
	Scheduled(p *Process, name string)
	// HandsOut is called when a queue of activities has delivered some of its visible messages, in a run whose activities name queues.
	HandsOut(from *Queue, visible, msgs []queue.Message)
	// Redrives is called before an operator resends a dead letter.
	Redrives(body string)
	// Expires is called when a queue deletes a message because of its age.
	Expires(name string, m queue.Message)
}

// busWatcher observes events about instances.
type busWatcher interface {
	// Publishes is called when the bus has accepted an event about an instance.
	Publishes(p *Process, e *host.InstanceEvent)
	// CallsBus is called before a process sends events to the bus; hangs says that there will be no answer.
	CallsBus(p *Process, hangs bool)
}

// processWatcher observes invocations.
type processWatcher interface {
	// Receives is called before an invocation starts, with its batch in inv.
	Receives(inv *Invocation)
	// Dies is called when the process dies in the middle of an invocation.
	Dies(inv *Invocation)
	// OutOfTime is called when an invocation is past its deadline, just before its process is killed.
	OutOfTime(inv *Invocation)
	// Returned is called when an invocation has returned; failed are the ids of the messages that it returns to the queue.
	Returned(inv *Invocation, failed map[string]bool)
	// Acknowledged is called when a message was deleted from its queue, by the event source or by the process.
	Acknowledged(inv *Invocation, m Delivered)
	// Counts is called with each count that a process reports to its observer, Logs with each line of its log; given
	// are the keys that the logger adds to all its lines.
	Counts(p *Process, c host.Counter, reason string, n int)
	Logs(p *Process, r *slog.Record, given []string)
}

// activityWatcher observes attempts of activities.
type activityWatcher interface {
	// AttemptStarts is called when the code of an activity starts, Works when it starts to take the time that it takes, AttemptEnds when it
	// returns.
	AttemptStarts(p *Process, in *program.Work, info *activities.Info)
	AttemptEnds(p *Process, info *activities.Info)
	Works(p *Process)
	// Beats is called before a heartbeat is recorded, HasBeaten when the code that sent it continues.
	Beats(p *Process, key store.ActivityKey, beat store.Heartbeat)
	HasBeaten(ctx context.Context, p *Process, info *activities.Info)
	// Stops is called before a process asks an activity to stop.
	Stops(p *Process, key store.ActivityKey, reason string)
	// Notified is called when a process has read the state of an activity; beat says that it was the answer to a heartbeat.
	Notified(p *Process, key store.ActivityKey, state *store.ActivityState, beat bool)
	// ChangesLimit is called when a process is about to write the new state of a limit over instances, or of a rate (the key is "rate", a
	// tab and its own key), LimitChanged when the write has taken effect, perhaps later and after the death of the process, and
	// NotifiedOfLimit when the process gets the answer. asked is when it started the call.
	ChangesLimit(p *Process, key string, after store.Claim)
	LimitChanged(p *Process, in *Invocation, key string, before, after store.Claim, asked time.Time)
	NotifiedOfLimit(p *Process, key string, after store.Claim)
	// Shows is called when a process makes a message of a queue visible at once, or hides it while its attempt waits for a permit.
	Shows(p *Process, in *Queue, message string)
	// FailsFinally is called when an attempt ends with an error that permits no further attempt.
	FailsFinally(p *Process, info *activities.Info)
	// AsksToWait is called when an attempt ends with an error that specifies the delay before the next one.
	AsksToWait(p *Process, info *activities.Info, d time.Duration)
}
