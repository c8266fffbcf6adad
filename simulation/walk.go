package simulation

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/simulation/choice"
)

// walk is one run of a scope, in which nothing is left to chance: before each
// step it says what can happen next (actions.go), and is told which of it does.
//
// Time stands still but for an action that lets it pass to what is due next,
// and a message in flight comes back by an action too. So the moment of each is
// decided like everything else.
type walk struct {
	w     *World
	scope *Scope
	left  Allowance
	// sent of the messages of clients.
	sent int
	// passed is how often time did.
	passed int
	// dead are batches of processes that died, which are not visible again.
	dead [][]delivered
	late []lateCall
	// ended: nothing is left that can happen.
	ended bool
	// stored is the text of the store, "" when it may have changed.
	stored string
}

// lateCall is on its way, and whoever made it is dead or believes it lost.
type lateCall struct {
	text   func() string
	effect func() error
	// id tells it from any other: who made it had heard that.
	id string
}

// nextCall is a call that an invocation is about to make.
type nextCall struct {
	what   func() string
	faults callFaults
	// first of the invocation.
	first bool
}

// plainest decides for the plainest of all, where the walk does not decide.
type plainest struct{}

func (plainest) Choose(choice.Spot, int) int { return 0 }

func (s *Scope) newWalk(tracing bool) *walk {
	w := newWorld(choice.Choices{Source: plainest{}}, tracing, inMemory{})
	k := &walk{w: w, scope: s, left: s.Allowance}
	w.walk = k
	// Nothing comes back or goes wrong by itself.
	w.openQueues(queue.MaxVisibility, queue.MaxVisibility)
	w.calm = true
	w.slots = 2
	if s.Workers {
		w.slots = 1
	}
	if !s.Cached {
		w.settings.CacheInstances = -1
	}
	if s.Scheduled {
		w.settings.TimerBorder, w.settings.TimerLeast = -1, time.Millisecond
	}
	w.scenario = s
	w.sabotage = s.sabotage
	w.good = s.working()
	w.build = w.good
	if s.bad != nil {
		w.build = s.broken(w)
	}
	return k
}

// take lets one of the actions happen.
func (k *walk) take(a action) {
	k.w.Steps++
	if k.w.tracing {
		k.w.log("— %s", a.label())
	}
	k.stored = ""
	a.do()
}

// call is process.call where a scope is searched.
func (k *walk) call(p *process, c *class, what func() string, effect func() error) error {
	if p.worker != nil && !k.scope.Workers {
		return effect()
	}
	w, inv := k.w, p.running
	inv.next = nextCall{what, c.faults, inv.next.what == nil}
	inv.verdict = faultEnd
	inv.routine.yield(struct{}{})
	if p.dead {
		return errKilled
	}
	if inv.verdict != faultEnd {
		w.log("%s %s: FAULT %s", p.name, what(), inv.verdict)
		w.faulted(inv.verdict)
	}
	var err error
	switch inv.verdict {
	case CrashBefore:
		p.die("crash")
		return errKilled
	case CrashAfter:
		_ = effect()
		p.die("crash")
		return errKilled
	case CrashLate:
		k.landLater(p, what, effect)
		p.die("crash")
		return errKilled
	case Unavailable:
		err = fmt.Errorf("%w (simulated)", c.unavailable)
	case AnswerLost:
		_ = effect()
		err = fmt.Errorf("%w (simulated)", c.unknown)
	case LandsLate:
		k.landLater(p, what, effect)
		err = fmt.Errorf("%w (simulated)", c.unknown)
	case NeverLands:
		err = fmt.Errorf("%w (simulated)", c.unknown)
	default:
		err = effect()
		if w.tracing {
			w.log("%s %s: %s", p.name, what(), answerText(err))
		}
	}
	p.hears(func() string { return answerText(err) })
	return err
}

func (k *walk) landLater(p *process, what func() string, effect func() error) {
	k.late = append(k.late, lateCall{func() string { return p.name + " " + what() }, effect, string(p.heard)})
}

// hears notes what a process was told, and when. Its code is deterministic: one
// that was told the same does the same from there on.
func (p *process) hears(what func() string) {
	if p.w.walk != nil {
		p.heard = fmt.Appendf(p.heard, "%d %s\n", p.w.clock.Now().UnixMilli(), what())
	}
}

// deliver gives messages to a process of the role, which is one that is idle,
// or a new one.
func (k *walk) deliver(from *simQueue, ids []string, p *process) {
	w := k.w
	msgs, err := from.ReceiveThese(ids...)
	if err != nil {
		w.violate("world", "receive: %v", err)
		return
	}
	if p == nil {
		p = w.newProcess(from == w.activity)
		w.processes = append(w.processes, p)
	}
	if !k.scope.Cached {
		// It has kept nothing of what it was told before.
		p.heard = nil
		clear(p.seen)
	}
	var batch []delivered
	identity := sha256.New()
	for _, m := range msgs {
		batch = append(batch, from.delivered(m))
		fmt.Fprintf(identity, "%s\n", m.Receipt)
		p.hears(func() string { return messageText(&m) })
	}
	// What it draws hangs on the delivery, of which there is only one with
	// these receipts: so it is the same wherever the run came from, and never
	// drawn twice.
	p.random.Seed([32]byte(identity.Sum(nil)))
	inv := p.invoke(batch)
	k.settle(inv)
}

// settle looks after what an invocation that has made a step leaves.
func (k *walk) settle(inv *invocation) {
	switch {
	case !inv.p.dead:
	case k.w.sabotage.early:
		for _, m := range inv.batch {
			_ = m.from.Queue.Delete(context.Background(), m.Message)
		}
	default:
		k.dead = append(k.dead, inv.batch)
	}
}

// comeBack makes a batch visible again.
func (k *walk) comeBack(batch []delivered) {
	for _, m := range batch {
		_ = m.from.Queue.SetVisibility(context.Background(), 0, m.Message)
	}
}

// deployGood replaces the build that does not work.
func (k *walk) deployGood() {
	w := k.w
	w.build, w.replaceAt = w.good, w.clock.Now().Add(-1)
	for _, p := range slices.Clone(w.processes) {
		if p.code != w.build && p.running == nil {
			w.bury(p)
		}
	}
}

// due returns when something is due next: a message is sent with a delay or was
// handed back, or a schedule fires. What is in flight and not handed back comes
// back by an action, not by time.
func (k *walk) due() (next time.Time, ok bool) {
	for _, s := range k.w.timer.Pending() {
		if !ok || s.Due.Before(next) {
			next, ok = s.Due, true
		}
	}
	held := map[string]bool{}
	for _, p := range k.w.processes {
		if p.running != nil {
			for _, m := range p.running.batch {
				held[m.ID] = true
			}
		}
	}
	for _, batch := range k.dead {
		for _, m := range batch {
			held[m.ID] = true
		}
	}
	for _, q := range k.w.sources {
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

// mayPass reports whether time may pass to t: no invocation is out of time by
// then, which would be another crash.
func (k *walk) mayPass(t time.Time) bool {
	if k.w.build != k.w.good && k.passed >= patience {
		return false
	}
	for _, p := range k.w.processes {
		if p.running != nil && !t.Before(p.running.deadline) {
			return false
		}
	}
	return true
}
