package world

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// action is one thing that can happen next in a walk.
type action struct {
	label func() string
	do    func()
}

// Actions returns everything that can happen next, the simplest first: if the walk always
// takes the first action, everything runs to its end without a fault.
//
// Three kinds of actions are left out because another action leads to the same state:
//   - A process dies only before its first call, after a write, or with a write under way.
//     Dying at a read has the same effect as dying at the write after it or before the
//     first call, because a dead process neither receives nor changes anything. Dying
//     before a later write is the same as dying after the write before it, and from there
//     every action of the other processes is possible.
//   - Of idle processes that have received the same answers, one stands for all: what each does next is a function of those answers.
//   - Without Workers, a worker handles its message in one step. Other processes see only
//     one of its calls, the send of the completion; the worker reads only requests to stop
//     before it. Receiving the completion later is a separate action.
func (k *Walk) Actions() []action {
	var all []action
	all = k.proceed(all)
	all = k.receives(all)
	all = k.surroundings(all)
	return k.faults(all)
}

func (k *Walk) proceed(all []action) []action {
	for _, p := range k.W.Processes {
		if p.Running != nil {
			all = append(all, action{func() string { return p.Name + " goes on" }, func() { k.step(p, fault.None) }})
		}
	}
	return all
}

// step makes a process make its next call, with this fault.
func (k *Walk) step(p *Process, f fault.Kind) {
	inv := p.Running
	inv.verdict = f
	p.step()
	k.settle(inv)
}

// receives adds the batches that can be received: for a FIFO queue a number of the oldest
// messages of a group, for another queue any one message.
func (k *Walk) receives(all []action) []action {
	for _, from := range k.W.Sources {
		worker := from == k.W.Activity
		takers := k.takers(worker)
		if len(takers) == 0 {
			continue
		}
		for _, ids := range batches(from) {
			for _, p := range takers {
				all = append(all, action{func() string { return fmt.Sprintf("%s of %s are received", strings.Join(ids, " and "), from.Name) },
					func() { k.deliver(from, ids, p) }})
			}
		}
	}
	return all
}

func batches(from *Queue) [][]string {
	var all [][]string
	var groups []string
	visible, blocked := map[string][]string{}, map[string]bool{}
	for _, h := range from.Snapshot() {
		switch {
		case !h.Visible:
			blocked[h.Group] = true
		case !from.FIFO():
			all = append(all, []string{h.ID})
		default:
			if !slices.Contains(groups, h.Group) {
				groups = append(groups, h.Group)
			}
			visible[h.Group] = append(visible[h.Group], h.ID)
		}
	}
	for _, g := range groups {
		for n := len(visible[g]); n > 0 && !blocked[g]; n-- {
			all = append(all, visible[g][:n])
		}
	}
	return all
}

// takers returns the processes that can take a batch; nil stands for a new one.
func (k *Walk) takers(worker bool) []*Process {
	var idle []*Process
	n := 0
	for _, p := range k.W.Processes {
		if (p.Worker != nil) != worker {
			continue
		}
		n++
		if p.Running == nil && !slices.ContainsFunc(idle, func(o *Process) bool { return !k.scope.Cached || string(o.received) == string(p.received) }) {
			idle = append(idle, p)
		}
	}
	if n < k.W.slots && (k.scope.Cached || len(idle) == 0) {
		idle = append(idle, nil)
	}
	return idle
}

// surroundings adds the actions of clients, operators and time, and the calls that have not
// landed yet.
func (k *Walk) surroundings(all []action) []action {
	w := k.W
	if k.sent < len(k.scope.Messages) {
		if r := k.scope.Messages[k.sent]; !r.Aside || w.Ledger.Last[r.Instance] > 0 {
			all = append(all, action{func() string { return "a client sends " + string(r.Kind) }, func() { k.sent++; k.send(r) }})
		}
	}
	for i, c := range k.late {
		all = append(all, action{func() string { return "it lands late what " + c.text() }, func() {
			k.late = slices.Delete(slices.Clone(k.late), i, i+1)
			w.Log("lands late: %s", answerText(c.effect()))
		}})
	}
	for i, batch := range k.dead {
		all = append(all, action{func() string { return "visible again: " + batchText(batch) }, func() {
			k.dead = slices.Delete(slices.Clone(k.dead), i, i+1)
			k.comeBack(batch)
		}})
	}
	if w.Build != w.Good {
		all = append(all, action{func() string { return "the build that works is deployed" }, k.deployGood})
	}
	if due, ok := k.due(); ok && k.mayPass(due) {
		all = append(all, action{func() string { return "time passes to " + w.at(due) }, func() { k.pass(due) }})
	}
	return all
}

func (k *Walk) pass(due time.Time) {
	k.passed++
	sweep, ok := k.nextSweep()
	k.W.Clock.AdvanceTo(due)
	if ok && !sweep.After(due) {
		k.W.sendSweep(fmt.Sprintf("schedule-%d", due.UnixMilli()))
	}
}

// send sends the message of a client.
func (k *Walk) send(r Request) {
	item := r.Item
	item.V = wire.Version
	body, err := item.Encode()
	if err != nil {
		panic(err)
	}
	if r.Aside {
		k.W.SendAs("a client", k.W.Delay, queue.Outgoing{Body: string(body)})
		return
	}
	k.W.SendAs("a client", k.W.FIFO, queue.Outgoing{Body: string(body), Group: wire.Group(item.Target()), DedupID: wire.DedupID(&item)})
}

// faults adds the faults that the allowance still permits.
func (k *Walk) faults(all []action) []action {
	for _, p := range k.W.Processes {
		inv := p.Running
		if inv == nil {
			continue
		}
		add := func(count *int, faults ...fault.Kind) {
			for _, f := range faults {
				all = append(all, action{func() string { return fmt.Sprintf("%s goes on: %s", p.Name, f) }, func() { *count--; k.step(p, f) }})
			}
		}
		reads := inv.next.faults == fault.Reads
		if k.left.Crashes > 0 {
			if inv.next.first {
				add(&k.left.Crashes, fault.CrashBefore)
			}
			if !reads {
				add(&k.left.Crashes, fault.CrashAfter, fault.CrashLate)
			}
		}
		if k.left.Answers > 0 {
			add(&k.left.Answers, fault.Unavailable)
			if !reads {
				add(&k.left.Answers, fault.AnswerLost, fault.LandsLate, fault.NeverLands)
			}
		}
		if k.left.Duplicates > 0 {
			all = append(all, action{func() string { return "visible again, and still handled: " + batchText(inv.Batch) },
				func() { k.left.Duplicates--; k.comeBack(inv.Batch) }})
		}
	}
	return all
}
