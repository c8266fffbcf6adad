package simulation

import (
	"log/slog"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// checker holds the invariants: it watches a world, and shares no code with the
// engine. What it knows is in the ledger, and in what it has noted itself.
type checker struct {
	*World
	trouble trouble
	reach   reach
	formats formats
	// latest is the token of each process's last commit of each instance, landed or not.
	latest map[commitOf]string
}

// commitOf names the commits of a process for an instance.
type commitOf struct {
	by       *process
	instance string
}

var _ watcher = (*checker)(nil)

func newChecker(w *World) *checker {
	return &checker{World: w, reach: newReach(), latest: map[commitOf]string{}}
}

// writes implements watcher.
func (w *checker) writes(x *write) {
	if x.commit != nil {
		w.showsTurns(x.by, x.sealed.Turns)
	}
	w.showsChange(x.by, x.instance, x.change)
	if x.commit != nil {
		w.aboutToCommit(x.by, x.commit)
		w.latest[commitOf{x.by, x.instance}] = x.commit.Turns[0].Token
	}
	w.aboutToChange(x.by, x.instance, x.change)
	if g := w.changing(x); g != nil {
		x.notes = g
	}
}

// changes returns what is noted of a change; nil if it has nothing that is looked at.
func (x *write) changes() *changing {
	g, _ := x.notes.(*changing)
	return g
}

// meets implements watcher.
func (w *checker) meets(x *write) {
	if x.commit != nil {
		w.landedLate(x.by, x.commit)
	}
	x.changes().meets(w)
}

// landed implements watcher.
func (w *checker) landed(x *write) {
	if x.commit != nil {
		w.committed(x)
		w.landedIn(x.in, x.commit)
		return
	}
	w.forbids(x.instance, x.change)
	x.changes().landed(w, nil)
	w.checkRecord(x.instance)
}

// answered implements watcher.
func (w *checker) answered(x *write, err error) {
	if x.commit != nil {
		w.reachAnswer(x.by, x.commit, err)
	}
	if x.by.dead {
		return
	}
	inv := x.by.running
	w.loses(inv, x.instance, err)
	w.marks(inv, x.instance, x.change, err)
	w.unsureOfMark(x.instance, x.change, err)
}

// reads implements watcher.
func (w *checker) reads(p *process, instance string, turns []store.Turn, err error) {
	w.reachRead(p, instance, turns, err)
	if len(turns) > 0 {
		w.checkRead(turns)
	}
}

// lists implements watcher.
func (w *checker) lists(p *process, records []store.Record) {
	for i := range records {
		note(&w.notesOf(p).listed, records[i].Instance, records[i])
	}
}

// beginsSend implements watcher.
func (w *checker) beginsSend(p *process, body string) { w.checkWake(p, body) }

// sends implements watcher.
func (w *checker) sends(p *process, _ *simQueue, m *queue.Outgoing) {
	w.showsBody(p, m.Body)
	w.shows(p, func() string { return "the reason of a dead letter" }, "", []byte(m.Attributes[wire.ReasonAttribute]))
	w.aboutToSend(p, m.Body)
	w.aboutToRetry(p, m.Body)
	w.aboutToHop(p, m)
}

// takes implements watcher.
func (w *checker) takes(p *process, to *simQueue, m *queue.Outgoing) {
	w.reachSent(p, to, m)
	w.checkCorrupt(to, m)
}

// accepted implements watcher.
func (w *checker) accepted(p *process, body string) {
	w.answers(p, body)
	w.hasSent(p.running, body)
}

// schedules implements watcher.
func (w *checker) schedules(p *process, body string) { w.showsBody(p, body) }

// receives implements watcher.
func (w *checker) receives(inv *invocation) {
	w.reachReceived(inv.p, inv.batch)
	if inv.p.worker != nil {
		w.checkHidden(inv.p, inv.batch)
		w.of(inv).shown = w.shownAgain()
	}
}

// dies implements watcher.
func (w *checker) dies(inv *invocation) {
	w.reachDeath(inv)
	w.diedWith(inv)
}

// returned implements watcher.
func (w *checker) returned(inv *invocation, failed map[string]bool) {
	w.checkCounted(inv)
	w.checkReturned(inv, failed)
	w.reachReturned(inv, failed)
}

// logs implements watcher.
func (w *checker) logs(p *process, r *slog.Record, given []string) {
	w.saysWhere(p, r, given)
	if p.seals {
		w.showsLine(p, r)
	}
}

// works implements watcher.
func (w *checker) works(p *process) { w.of(p.running).progress.ran = true }
