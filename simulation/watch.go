package simulation

import (
	"context"
	"log/slog"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/simulation/program"
	"github.com/turnstile-go/turnstile/store"
)

// watcher is told of all that the processes of a world do. It changes nothing of
// what happens: it looks, and violates what it finds broken.
type watcher interface {
	storeWatcher
	queueWatcher
	processWatcher
	activityWatcher
	// end: the faults have stopped, and nothing is left to come.
	end()
}

// write is a commit, or a change of a record alone, on its way to the store.
type write struct {
	by       *process
	in       *invocation
	instance string
	// commit with plain payloads, and as the store gets it; nil for a change alone.
	commit, sealed *store.Commit
	change         *store.RecordChange
	// notes are the watcher's.
	notes any
}

// storeWatcher is told of calls of the store.
type storeWatcher interface {
	// writes: a process is about to send a write; meets: it is about to take
	// effect; landed: it has, and the process need not live; answered: the process
	// was told what became of it.
	writes(x *write)
	meets(x *write)
	landed(x *write)
	answered(x *write, err error)
	reads(p *process, instance string, turns []store.Turn, err error)
	lists(p *process, records []store.Record)
	// hides: an instance is hidden, which was at this execution.
	hides(inv *invocation, instance string, execution int64)
	// deletes: the histories of an instance are about to be deleted, up to an execution.
	deletes(instance string, upTo int64)
}

// queueWatcher is told of what is sent, and of schedules.
type queueWatcher interface {
	// beginsSend: a process has a message to send; sends: it is about to call the
	// queue with it; takes: the queue takes it; accepted: the process was told so.
	beginsSend(p *process, body string)
	sends(p *process, to *simQueue, m *queue.Outgoing)
	takes(p *process, to *simQueue, m *queue.Outgoing)
	accepted(p *process, body string)
	// schedules: a process is about to create a schedule with this body; scheduled:
	// it has tried to create or to remove the one of this name.
	schedules(p *process, body string)
	scheduled(p *process, name string)
	// expires: a queue deletes a message by its age.
	expires(name string, m queue.Message)
}

// processWatcher is told of invocations.
type processWatcher interface {
	receives(inv *invocation)
	dies(inv *invocation)
	outOfTime(inv *invocation)
	// returned: the invocation hands back the messages that have failed.
	returned(inv *invocation, failed map[string]bool)
	// acknowledged: a message was deleted from its queue.
	acknowledged(inv *invocation, m delivered)
	// counts and logs: what a process told its observer, and its log; given are the
	// keys that all lines of the logger have.
	counts(p *process, c host.Counter, reason string, n int)
	logs(p *process, r *slog.Record, given []string)
}

// activityWatcher is told of attempts of activities.
type activityWatcher interface {
	attemptBegins(p *process, in *program.Work, info *activity.Info)
	// works: an attempt begins to take its time.
	works(p *process)
	// beats: a heartbeat is about to be recorded; told: a process hears how an
	// activity stands, in answer to a heartbeat or ahead of an attempt.
	beats(p *process, key store.ActivityKey, beat store.Heartbeat)
	told(p *process, key store.ActivityKey, state *store.ActivityState, beat bool)
	hasBeaten(ctx context.Context, p *process, info *activity.Info)
	// failsFinally: an attempt ends with an error behind which none follows.
	failsFinally(p *process, info *activity.Info)
}
