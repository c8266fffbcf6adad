package check

import (
	"log/slog"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/turncache"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// checker verifies the invariants: it watches a world, and shares no code with the engine. It uses only
// the ledger and its own notes.
type checker struct {
	*world.World
	trouble trouble
	reach   reach
	formats formats
	reasons reasons
	// latest is the token of each process's last commit of each instance, landed or not.
	latest map[commitOf]string
	// due is the earliest time at which each next attempt may start.
	due map[ledger.Attempt]time.Time
	// endedAt is the step at which an execution of an instance last ended.
	endedAt map[string]int
	// tookIn is the first execution of the run that has recorded the event of a given message.
	tookIn map[string]int64
	// said are the messages that clients sent to instances, newest the last of them that each instance has
	// recorded, by its position in the queue.
	said map[saying]*said
	// taken has the events that redrives have copied.
	taken map[ledger.Execution]*takenOver
	// pruned is the first remaining execution of each instance that has pruned executions.
	pruned map[string]int64
	// kept are instances whose pruned executions may remain: a build that keeps all executions received
	// the prune request, or no living process has the request.
	kept map[string]bool
	// forked is set if an instance was forked.
	forked bool
	// forks are the forks of each instance.
	forks map[string][]forkOf
	// keys are the idempotency keys under which activities ran.
	keys map[store.ActivityKey]string
	// inline are the keys of inline activities, which are separate because a turn that was lost may have
	// had another activity with the same event id.
	inline map[store.ActivityKey]map[inlineWork]string
	// keysInline are the idempotency keys of the inline activities in the history of each execution.
	keysInline map[ledger.Execution]map[inlineWork]string
	// byDuplicate is the last event of each execution that a duplicate invocation has committed.
	byDuplicate map[ledger.Execution]int64
	newest      map[string]int
	// permits has the state of limits over instances.
	permits permits
	// turns has the state of the fair shares of each named queue, by its name.
	turns map[string][]*turn
	// shown has the states in the latest record of each instance.
	shown map[string][]history.State
	// asked has the histories that a process keeps which answers queries.
	asked *turncache.Cache
	// notices has the state of events about instances.
	notices notices
	// updates has the state of updates.
	updates updates
}

// commitOf names the commits of a process for an instance.
type commitOf struct {
	by       *world.Process
	instance string
}

var _ world.Watcher = (*checker)(nil)

func New(w *world.World) world.Watcher {
	return &checker{World: w, reach: newReach(), latest: map[commitOf]string{}}
}

// Writes implements watcher.
func (w *checker) Writes(x *world.Write) {
	if x.Commit != nil {
		w.showsTurns(x.By, x.Sent.Turns)
	}
	w.showsChange(x.By, x.Instance, x.Change)
	if x.Commit != nil {
		w.aboutToCommit(x.By, x.Commit)
		w.latest[commitOf{x.By, x.Instance}] = x.Commit.Turns[0].Token
	}
	w.aboutToChange(x.By, x.Instance, x.Change)
	if g := w.changing(x); g != nil {
		x.Notes = g
	}
}

// changes returns the notes of a change; nil if nothing of it is checked.
func changes(x *world.Write) *changing {
	g, _ := x.Notes.(*changing)
	return g
}

// Meets implements watcher.
func (w *checker) Meets(x *world.Write) {
	if x.Commit != nil {
		w.landedLate(x.By, x.Commit)
	}
	changes(x).meets(w)
}

// Landed implements watcher.
func (w *checker) Landed(x *world.Write) {
	if x.Commit != nil {
		w.committed(x)
		w.noteDuplicate(x)
		w.checkRoom(x)
		w.landedIn(x.In, x.Commit)
		w.expectsProblem(x)
		return
	}
	w.forbids(x.Instance, x.Change)
	w.prunes(x)
	changes(x).landed(w, nil)
	w.expectsProblem(x)
	w.checkRecord(x.Instance)
}

// Answered implements watcher.
func (w *checker) Answered(x *world.Write, err error) {
	if x.Commit != nil {
		w.reachAnswer(x.By, x.Commit, err)
	}
	if x.By.Dead {
		return
	}
	inv := x.By.Running
	w.loses(inv, x.Instance, err)
	w.refused(x, err)
	w.marks(inv, x.Instance, x.Change, err)
	w.unsureOfMark(x.Instance, x.Change, err)
}

// Reads implements watcher.
func (w *checker) Reads(p *world.Process, instance string, turns []store.Turn, err error) {
	w.reachRead(p, instance, turns, err)
	if len(turns) > 0 {
		w.checkRead(turns)
	}
}

// Describes implements watcher.
func (w *checker) Describes(*world.Process, *store.Record) {}

// Lists implements watcher.
func (w *checker) Lists(p *world.Process, records []store.Record) {
	for i := range records {
		note(&w.notesOf(p).listed, records[i].Instance, records[i])
	}
	w.listsDue(p, records)
}

// StartsSend implements watcher.
func (w *checker) StartsSend(p *world.Process, body string) {
	w.checkWake(p, body)
	w.noteWake(p, body, false)
}

// Sends implements watcher.
func (w *checker) Sends(p *world.Process, to *world.Queue, m *queue.Outgoing) {
	w.showsBody(p, m.Body)
	w.shows(p, func() string { return "the reason of a dead letter" }, "", []byte(m.Attributes[wire.ReasonAttribute]))
	w.aboutToSend(p, m.Body)
	w.aboutToRetry(p, m.Body)
	w.checkDue(p, m)
	w.sendsCancel(p, m.Body)
	w.aboutToHop(p, m)
	w.asksAgain(p, m.Body)
	w.followsSilence(p, m.Body)
	w.movesSaid(m.Body)
	w.sendsToQueue(p, to, m)
	w.sendsApart(p, m.Body)
	w.sendsHeld(p, m.Body)
	w.sendsChild(m.Body)
	w.waitsForBus(p, to, m.Body)
}

// Takes implements watcher.
func (w *checker) Takes(p *world.Process, to *world.Queue, m *queue.Outgoing) {
	w.reachSent(p, to, m)
	w.noteReply(m)
	w.checkCorrupt(to, m)
}

// Accepted implements watcher.
func (w *checker) Accepted(p *world.Process, body string) {
	w.answers(p, body)
	w.hasSent(p.Running, body)
	w.noteWake(p, body, true)
	w.notePending(body)
}

// Schedules implements watcher.
func (w *checker) Schedules(p *world.Process, body string) {
	w.showsBody(p, body)
	w.asksAgain(p, body)
	w.followsSilence(p, body)
	w.sendsApart(p, body)
}

// Receives implements watcher.
func (w *checker) Receives(inv *world.Invocation) {
	w.reachReceived(inv.P, inv.Batch)
	w.noteGone(inv)
	w.noteAgain(inv)
	w.noteForked(inv)
	w.noteKept(inv)
	w.hearsSaid(inv)
	if inv.P.Worker != nil {
		w.checkHidden(inv.P, inv.Batch)
		w.noteMessages(inv.Batch)
		w.of(inv).shown = w.shownAgain()
	}
}

// Dies implements watcher.
func (w *checker) Dies(inv *world.Invocation) {
	w.reachDeath(inv)
	w.diedWith(inv)
	w.noteLeft(inv, func(string) bool { return true })
}

// Returned implements watcher.
func (w *checker) Returned(inv *world.Invocation, failed map[string]bool) {
	w.checkCounted(inv)
	w.checkGone(inv)
	w.checkLines(inv)
	w.checkReturned(inv, failed)
	w.noteLeft(inv, func(id string) bool { return failed[id] })
	w.checkBehind(inv, failed)
	w.checkSwept(inv)
	w.reachReturned(inv, failed)
}

// Logs implements watcher.
func (w *checker) Logs(p *world.Process, r *slog.Record, given []string) {
	w.saysWhere(p, r, given)
	if p.Encodes {
		w.showsLine(p, r)
	}
}

// Works implements watcher.
func (w *checker) Works(p *world.Process) { w.of(p.Running).progress.ran = true }
