package world

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
)

// Walk is one run of a scope, in which nothing is left to chance: before each step it lists
// what can happen next (actions.go), and its caller chooses.
//
// Time advances only by an action that moves it to the next due time, and a message in flight
// becomes visible again only by an action. So both are decisions like all others.
type Walk struct {
	W     *World
	scope *Limits
	left  Allowance
	// sent is the number of clients' messages that were sent.
	sent int
	// passed is the number of times that time passed.
	passed int
	// dead are batches of processes that died and are not visible again yet.
	dead [][]Delivered
	late []lateCall
	// Ended is set if nothing is left that can happen.
	Ended bool
	// stored is the text of the store, "" if it may have changed.
	stored string
}

// lateCall is a call that has not landed yet, and whose process is dead or believes it
// lost.
type lateCall struct {
	text   func() string
	effect func() error
	sent   time.Time
	// id distinguishes the call from any other: it contains everything that the call's process had
	// received.
	id string
}

// nextCall is a call that an invocation is about to make.
type nextCall struct {
	what   func() string
	faults fault.Calls
	// first is set if it is the first call of the invocation.
	first bool
}

// plainest chooses the simplest alternative of every decision that the walk does not make.
type plainest struct{}

func (plainest) Choose(choice.Spot, int) int { return 0 }

// NewWalk starts a run of a scenario within limits.
func NewWalk(l *Limits, s Scenario, tracing bool, watch func(*World) Watcher, sabotage Sabotage) *Walk {
	w := New(choice.Choices{Source: plainest{}}, Options{Tracing: tracing, Watch: watch})
	k := &Walk{W: w, scope: l, left: l.Allowance}
	w.Walk = k
	// Nothing becomes visible again or fails on its own.
	w.openQueues(queue.MaxVisibility, queue.MaxVisibility)
	w.calm = true
	w.slots = 2
	if l.Workers {
		w.slots = 1
	}
	if !l.Cached {
		w.Settings.Cache.Instances = -1
	}
	if l.Scheduled {
		w.Settings.Dispatch.TimerBorder, w.Settings.Dispatch.TimerLeast = -1, time.Millisecond
	}
	w.Sabotage = sabotage
	w.sets(s)
	if l.StartsBroken {
		w.Build = s.Broken(w)
	}
	return k
}

// Take performs one of the actions.
func (k *Walk) Take(a action) {
	k.W.Steps++
	if k.W.Tracing {
		k.W.Log("— %s", a.label())
	}
	k.stored = ""
	a.do()
}

// call replaces Process.call in the search of a scope.
func (k *Walk) call(p *Process, c *class, what func() string, effect func() error) error {
	if p.Worker != nil && !k.scope.Workers {
		return effect()
	}
	w, inv := k.W, p.Running
	inv.next = nextCall{what, c.faults, inv.next.what == nil}
	inv.verdict = fault.None
	inv.routine.yield(struct{}{})
	if p.Dead {
		return ErrKilled
	}
	if inv.verdict != fault.None {
		w.Log("%s %s: FAULT %s", p.Name, what(), inv.verdict)
		w.faulted(inv.verdict)
	}
	var err error
	switch inv.verdict {
	case fault.CrashBefore:
		p.Die("crash")
		return ErrKilled
	case fault.CrashAfter:
		_ = effect()
		p.Die("crash")
		return ErrKilled
	case fault.CrashLate:
		k.landLater(p, what, effect)
		p.Die("crash")
		return ErrKilled
	case fault.Unavailable:
		err = fmt.Errorf("%w (simulated)", c.unavailable)
	case fault.AnswerLost:
		_ = effect()
		err = fmt.Errorf("%w (simulated)", c.unknown)
	case fault.LandsLate:
		k.landLater(p, what, effect)
		err = fmt.Errorf("%w (simulated)", c.unknown)
	case fault.NeverLands:
		err = fmt.Errorf("%w (simulated)", c.unknown)
	default:
		err = effect()
		if w.Tracing {
			w.Log("%s %s: %s", p.Name, what(), answerText(err))
		}
	}
	p.noteReceived(func() string { return answerText(err) })
	return err
}

func (k *Walk) landLater(p *Process, what func() string, effect func() error) {
	k.late = append(k.late, lateCall{func() string { return p.Name + " " + what() }, effect, k.W.Clock.Now(), string(p.received)})
}

// noteReceived records everything that a process receives, and when. Its code is deterministic: two
// processes that have received the same do the same from then on.
func (p *Process) noteReceived(what func() string) {
	if p.W.Walk != nil {
		p.received = fmt.Appendf(p.received, "%d %s\n", p.W.Clock.Now().UnixMilli(), what())
	}
}

// deliver gives messages to a process of the role: an idle one, or a new one.
func (k *Walk) deliver(from *Queue, ids []string, p *Process) {
	w := k.W
	msgs, err := from.ReceiveThese(ids...)
	if err != nil {
		w.Violate("world", "receive: %v", err)
		return
	}
	if p == nil {
		p = w.newProcess(from.servers())
		w.Processes = append(w.Processes, p)
	}
	if !k.scope.Cached {
		// Nothing that the process received before affects what it does now.
		p.received = nil
		clear(p.Seen)
	}
	var batch []Delivered
	identity := sha256.New()
	for _, m := range msgs {
		batch = append(batch, from.delivered(m))
		fmt.Fprintf(identity, "%s\n", m.Receipt)
		p.noteReceived(func() string { return messageText(&m) })
	}
	// Its random numbers depend on the delivery, and only one delivery has these receipts.
	// They are therefore the same wherever the run came from, and never repeat.
	p.random.Seed([32]byte(identity.Sum(nil)))
	inv := p.invoke(batch, false)
	k.settle(inv)
}

// settle cleans up after a step of an invocation.
func (k *Walk) settle(inv *Invocation) {
	switch {
	case !inv.P.Dead:
	case k.W.Sabotage.Early:
		for _, m := range inv.Batch {
			_ = m.From.Queue.Delete(context.Background(), m.Message)
		}
	default:
		k.dead = append(k.dead, inv.Batch)
	}
}

// comeBack makes a batch visible again.
func (k *Walk) comeBack(batch []Delivered) {
	for _, m := range batch {
		_ = m.From.Queue.SetVisibility(context.Background(), 0, m.Message)
	}
}

// deployGood replaces the build that does not work.
func (k *Walk) deployGood() {
	w := k.W
	w.Build, w.replaceAt = w.Good, w.Clock.Now().Add(-1)
	for _, p := range slices.Clone(w.Processes) {
		if p.Code != w.Build && p.Running == nil {
			w.bury(p)
		}
	}
}

// due returns when something is due next: a message was sent or returned with a delay, or a
// schedule fires. A message that is in flight and was not returned becomes visible by an
// action, not by time.
func (k *Walk) due() (next time.Time, ok bool) {
	for _, s := range k.W.Timer.Pending() {
		if !ok || s.Due.Before(next) {
			next, ok = s.Due, true
		}
	}
	held := map[string]bool{}
	for _, p := range k.W.Processes {
		if p.Running != nil {
			for _, m := range p.Running.Batch {
				held[m.ID] = true
			}
		}
	}
	for _, batch := range k.dead {
		for _, m := range batch {
			held[m.ID] = true
		}
	}
	for _, q := range k.W.Sources {
		for _, h := range q.Snapshot() {
			if !h.Visible && !held[h.ID] && (!ok || h.Due.Before(next)) {
				next, ok = h.Due, true
			}
		}
	}
	if sweep, due := k.nextSweep(); due && (!ok || sweep.Before(next)) {
		next, ok = sweep, true
	}
	return next, ok
}

// mayPass reports whether time may advance to t: no invocation runs out of time by then,
// which would be another crash, no request takes effect later than it can, and no message
// waits for that long without being received.
func (k *Walk) mayPass(t time.Time) bool {
	if k.W.Build != k.W.Good && k.passed >= patience {
		return false
	}
	for _, p := range k.W.Processes {
		if p.Running != nil && !t.Before(p.Running.Deadline) {
			return false
		}
	}
	for _, c := range k.late {
		if t.After(c.sent.Add(latest)) {
			return false
		}
	}
	return !t.After(k.W.Clock.Now().Add(latest)) || len(k.dead) == 0 && !k.receivable()
}

// receivable reports whether a message can be received.
func (k *Walk) receivable() bool {
	return slices.ContainsFunc(k.W.Sources, func(q *Queue) bool { return len(batches(q)) > 0 })
}
