package check

import (
	"fmt"
	"reflect"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// told is what is known of events about instances: what has happened, in its order, and what
// the bus has taken.
type told struct {
	happened []moment
	// marks that are to be told; landed are the changes of marks that were looked at, by stamp.
	marks, landed map[markOf]bool
	// published are the events by instance and number; numbers are the numbers of marks.
	published map[numbered]host.InstanceEvent
	numbers   map[markOf]string
	// forsaken are instances whose history was deleted while a message for them was not
	// settled: what that may not have sent is not sent any more.
	forsaken map[string]bool
	// redriven are the instances for which a dead letter was sent again.
	redriven map[string]bool
}

type moment struct {
	instance, what string
	number         string // of an event of a history
	execution      int64  // that has it
	mark           markOf // of what is none
	late           bool   // the mark landed when its process had done with the instance
}

type markOf struct {
	instance string
	stamp    int64
	what     string
	// purged is the last execution of the instance that had the id before, whose marks had
	// numbers of their own.
	purged int64
}

type numbered struct{ instance, number string }

// toldOf is what is told of an event of a history; empty for nothing.
func toldOf(e *history.Event, execution int64, messaged bool) string {
	switch e.Kind {
	case history.OrchestrationStarted:
		if messaged {
			return beginning(execution)
		}
	case history.OrchestrationRedriven:
		return beginning(execution)
	case history.OrchestrationFailed:
		kind := ""
		if e.Failure != nil {
			kind = e.Failure.Kind
		}
		switch {
		case kind == history.FailureTerminated || e.Imposed == history.ImposedTerminated:
			return "terminated"
		case kind == history.FailureCancelled:
			return "cancelled"
		}
		return "failed"
	}
	return map[history.Kind]string{history.OrchestrationSuspended: "suspended", history.OrchestrationResumed: "resumed",
		history.OrchestrationContinuedAsNew: "continued_as_new", history.OrchestrationCompleted: "completed"}[e.Kind]
}

// beginning is what is told of an execution that a message begins. A fork begins with the history
// of another instance, and is told as a start.
func beginning(execution int64) string {
	if execution > 1 {
		return "begun_again"
	}
	return "started"
}

// happens notes what a turn that has landed is to be told of.
func (w *checker) happens(t *store.Turn) {
	if !w.Subscribed() {
		return
	}
	for i := range t.Events {
		e := &t.Events[i]
		if what := toldOf(e, t.ExecutionID, t.Messaged); what != "" {
			w.told.happened = append(w.told.happened, moment{instance: t.Instance, what: what, execution: t.ExecutionID, number: fmt.Sprintf("%010d.%010d.%010d", t.ExecutionID, e.EventID, 0)})
		}
	}
}

// tells notes what a mark that has landed is to be told of.
func (w *checker) tells(x *world.Write) {
	if x.Change == nil || !w.Subscribed() {
		return
	}
	g := changes(x)
	if g == nil {
		g = &changing{instance: x.Instance, change: x.Change}
	}
	isStuck := func(r *store.Record) bool {
		return r != nil && r.Problem != nil && r.Problem.Kind != store.ProblemCorrupt
	}
	c, what, stamp := g.change, "", int64(0)
	switch {
	case c.Create != nil:
		if isStuck(c.Create) {
			what, stamp = "stuck", c.Create.Stamp
		}
	case g.before == nil || c.Problem == nil || c.Stamp == nil:
	case *c.Problem == nil && g.before.Problem != nil && (c.Status == nil || !c.Status.Terminal()):
		what, stamp = "recovered", *c.Stamp
	case *c.Problem != nil && (*c.Problem).Kind != store.ProblemCorrupt && !isStuck(g.before):
		what, stamp = "stuck", *c.Stamp
	}
	if c.Stamp != nil && c.Create == nil {
		at := markOf{instance: g.instance, stamp: *c.Stamp, purged: w.Ledger.Hidden[g.instance]}
		if w.told.landed[at] {
			return // A write that finds its own: what it changed was seen when it landed.
		}
		note(&w.told.landed, at, true)
	}
	if what == "" {
		return
	}
	if r, err := w.Describe(g.instance); err != nil || r.Stamp != stamp {
		return // It finds its own, made before; others have followed.
	}
	m := markOf{g.instance, stamp, what, w.Ledger.Hidden[g.instance]}
	if w.told.marks[m] {
		return
	}
	note(&w.told.marks, m, true)
	w.told.happened = append(w.told.happened, moment{instance: g.instance, what: what, mark: m, late: x.By.Dead || x.By.Running != x.In})
}

// Publishes implements world.Watcher: nothing is told that has not happened, and what is told
// again is the same.
func (w *checker) Publishes(p *world.Process, e *host.InstanceEvent) {
	w.Reached("events about instances")
	var execution, event, stamp int64
	if n, err := fmt.Sscanf(e.Number, "%d.%d.%d", &execution, &event, &stamp); n != 3 || err != nil || execution != e.Execution {
		w.Violate("told", "%s publishes %+v, and its number is none of execution %d", p.Name, *e, e.Execution)
		return
	}
	at := numbered{e.Instance, e.Number}
	if before, again := w.told.published[at]; again {
		w.Reached("events about instances, twice")
		if !reflect.DeepEqual(before, *e) {
			w.Violate("told", "%s publishes %+v, and another of that number was %+v", p.Name, *e, before)
		}
		return
	}
	note(&w.told.published, at, *e)
	if stamp > 0 {
		m := markOf{e.Instance, stamp, e.Type, w.purgedBefore(e.Instance, execution)}
		if !w.told.marks[m] {
			w.Violate("told", "%s publishes %+v, and there is no such mark", p.Name, *e)
		}
		if before := w.told.numbers[m]; before != "" {
			w.Violate("told", "%s publishes %+v, and mark %d had the number %s before", p.Name, *e, stamp, before)
		}
		w.Reached("events about instances, " + e.Type)
		note(&w.told.numbers, m, e.Number)
		return
	}
	x, before := w.Ledger.Executions[ledger.At(e.Instance, e.Execution)], w.Ledger.Executions[ledger.At(e.Instance, e.Execution-1)]
	messaged := before == nil || before.End() == nil || before.End().Kind != history.OrchestrationContinuedAsNew
	if x == nil || event != e.EventID || event < 1 || event > int64(len(x.Events)) || toldOf(&x.Events[event-1], e.Execution, messaged) != e.Type {
		w.Violate("told", "%s publishes %+v, which has not happened", p.Name, *e)
		return
	}
	w.Reached("events about instances, " + e.Type)
}

// purgedBefore is the last execution of the instance that was purged before an execution.
func (w *checker) purgedBefore(instance string, execution int64) (last int64) {
	if last = w.Ledger.Hidden[instance]; last < execution {
		return last
	}
	last = 0
	for purge, n := range w.Ledger.Outside.Purged {
		if purge.Instance == instance && n < execution {
			last = max(last, n)
		}
	}
	return last
}

// checkPublished is I-07 for an event about an instance that waited: it is published, or waits
// on.
func (w *checker) checkPublished(inv *world.Invocation, m world.Delivered, item *wire.Item) {
	if _, published := w.told.published[numbered{item.Instance, item.ID}]; !published && !w.queued(item) {
		w.Violate("I-07", "%s acknowledged %s of %s, which is neither published nor queued: %s", inv.P.Name, m.ID, m.From.Name, world.BodyText(m.Body))
	}
}

// waitsForPurge reports whether a mark landed when the process that sets it had done with the instance,
// and a process ended that without having read the record, which has what is to be told still.
func (w *checker) waitsForPurge(m *moment) bool {
	r, err := w.Describe(m.instance)
	return err == nil && m.late && r.Status.Terminal() && r.Stamp == m.mark.stamp && r.Untold != ""
}

// farBack reports whether an event of a history lies further back than a redriven message sends again:
// the message whose turn recorded it may have been a dead letter for as long.
func (w *checker) farBack(m *moment) bool {
	return m.execution > 0 && w.told.redriven[m.instance] && w.Ledger.Last[m.instance]-m.execution > 100
}

// checkTold: all that has happened was told, and the numbers grow in the order in which it
// has.
func (w *checker) checkTold() {
	last := map[string]string{}
	for _, m := range w.told.happened {
		number := m.number
		if number == "" {
			number = w.told.numbers[m.mark]
		}
		if _, published := w.told.published[numbered{m.instance, number}]; !published {
			if !w.told.forsaken[m.instance] && !w.WasDamaged(m.instance) && !w.waitsForPurge(&m) && !w.farBack(&m) {
				w.Violate("told", "nobody was told that %s was %s (%s, mark %d)", m.instance, m.what, m.number, m.mark.stamp)
			}
			continue
		}
		if number <= last[m.instance] {
			w.Violate("told", "%s was %s, with the number %s, and what happened before has %s", m.instance, m.what, number, last[m.instance])
		}
		last[m.instance] = number
	}
}
