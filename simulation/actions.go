package simulation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// action is one thing that can happen next in a walk.
type action struct {
	label func() string
	do    func()
}

// actions returns all that can happen next, the plainest first: with the first
// one each time, everything goes on to its end without a fault.
//
// Three things are left out, each because another action leads to the same:
//
//   - A process dies at its first call and at its writes only. To die at a read
//     changes nothing that the death at the write behind it, or before the
//     first call, has not changed: what is dead neither hears nor does a thing.
//     For the same reason it dies before its first call only, and else after a
//     write or with a write under way: to die before a later write is to die
//     after the one ahead of it, and from there on every action of the others
//     is open that would have been.
//   - Of processes that are idle and were told the same, one stands for all:
//     what they do next is a function of what they are told.
//   - Without Workers, a worker handles its message in one go. Of its calls one
//     alone is seen by others, the sending of the completion, and only what it
//     read of requests to stop is read ahead of it; that the completion is
//     received later is an action of its own.
func (k *walk) actions() []action {
	var all []action
	all = k.proceed(all)
	all = k.receives(all)
	all = k.surroundings(all)
	return k.faults(all)
}

func (k *walk) proceed(all []action) []action {
	for _, p := range k.w.processes {
		if p.running != nil {
			all = append(all, action{func() string { return p.name + " goes on" }, func() { k.step(p, faultEnd) }})
		}
	}
	return all
}

// step lets a process make its next call, with this fault.
func (k *walk) step(p *process, f Fault) {
	inv := p.running
	inv.verdict = f
	p.step()
	k.settle(inv)
}

// receives are the batches that can be received: of a FIFO queue so many of the
// oldest messages of a group, of another queue any one.
func (k *walk) receives(all []action) []action {
	for _, from := range k.w.sources {
		worker := from == k.w.activity
		takers := k.takers(worker)
		if len(takers) == 0 {
			continue
		}
		for _, ids := range batches(from) {
			for _, p := range takers {
				all = append(all, action{func() string { return fmt.Sprintf("%s of %s are received", strings.Join(ids, " and "), from.name) },
					func() { k.deliver(from, ids, p) }})
			}
		}
	}
	return all
}

func batches(from *simQueue) [][]string {
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

// takers are the processes that can take a batch; nil stands for a new one.
func (k *walk) takers(worker bool) []*process {
	var idle []*process
	n := 0
	for _, p := range k.w.processes {
		if (p.worker != nil) != worker {
			continue
		}
		n++
		if p.running == nil && !slices.ContainsFunc(idle, func(o *process) bool { return !k.scope.Cached || string(o.heard) == string(p.heard) }) {
			idle = append(idle, p)
		}
	}
	if n < k.w.slots && (k.scope.Cached || len(idle) == 0) {
		idle = append(idle, nil)
	}
	return idle
}

// surroundings are clients, operators, time, and what is still on its way.
func (k *walk) surroundings(all []action) []action {
	w := k.w
	if k.sent < len(k.scope.messages) {
		if r := k.scope.messages[k.sent]; !r.aside || w.ledger.last[r.Instance] > 0 {
			all = append(all, action{func() string { return "a client sends " + string(r.Kind) }, func() { k.sent++; k.send(r) }})
		}
	}
	for i, c := range k.late {
		all = append(all, action{func() string { return "it lands late what " + c.text() }, func() {
			k.late = slices.Delete(slices.Clone(k.late), i, i+1)
			w.log("lands late: %s", answerText(c.effect()))
		}})
	}
	for i, batch := range k.dead {
		all = append(all, action{func() string { return "visible again: " + batchText(batch) }, func() {
			k.dead = slices.Delete(slices.Clone(k.dead), i, i+1)
			k.comeBack(batch)
		}})
	}
	if w.build != w.good {
		all = append(all, action{func() string { return "the build that works is deployed" }, k.deployGood})
	}
	if due, ok := k.due(); ok && k.mayPass(due) {
		all = append(all, action{func() string { return "time passes to " + w.at(due) }, func() { k.pass(due) }})
	}
	return all
}

func (k *walk) pass(due time.Time) {
	k.passed++
	sweep, ok := k.nextSweep()
	k.w.clock.AdvanceTo(due)
	if ok && !sweep.After(due) {
		k.w.sendSweep(fmt.Sprintf("schedule-%d", due.UnixMilli()))
	}
}

// send sends what a client does.
func (k *walk) send(r request) {
	item := r.Item
	item.V = wire.Version
	body, err := item.Encode()
	if err != nil {
		panic(err)
	}
	if r.aside {
		k.w.sendAs("a client", k.w.delay, queue.Outgoing{Body: string(body)})
		return
	}
	k.w.sendAs("a client", k.w.fifo, queue.Outgoing{Body: string(body), Group: wire.Group(item.Target()), DedupID: wire.DedupID(&item)})
}

// faults are those that the allowance still has.
func (k *walk) faults(all []action) []action {
	for _, p := range k.w.processes {
		inv := p.running
		if inv == nil {
			continue
		}
		add := func(count *int, faults ...Fault) {
			for _, f := range faults {
				all = append(all, action{func() string { return fmt.Sprintf("%s goes on: %s", p.name, f) }, func() { *count--; k.step(p, f) }})
			}
		}
		reads := inv.next.faults == readFaults
		if k.left.Crashes > 0 {
			if inv.next.first {
				add(&k.left.Crashes, CrashBefore)
			}
			if !reads {
				add(&k.left.Crashes, CrashAfter, CrashLate)
			}
		}
		if k.left.Answers > 0 {
			add(&k.left.Answers, Unavailable)
			if !reads {
				add(&k.left.Answers, AnswerLost, LandsLate, NeverLands)
			}
		}
		if k.left.Duplicates > 0 {
			all = append(all, action{func() string { return "visible again, and still handled: " + batchText(inv.batch) },
				func() { k.left.Duplicates--; k.comeBack(inv.batch) }})
		}
	}
	return all
}
