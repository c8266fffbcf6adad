package check

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// notices has the state of events about instances: the events that must be published, in order, and those
// that the bus has accepted.
type notices struct {
	happened []moment
	// marks are problems that must be reported; landed are the changes of problems that were checked,
	// by problem number.
	marks, landed map[markOf]bool
	// published has the accepted events by instance and number; numbers has the numbers of problems.
	published map[numbered]host.InstanceEvent
	numbers   map[markOf]string
	// forsaken are instances whose history was deleted while a message for them was not settled:
	// messages that its turn has not sent are never sent.
	forsaken map[string]bool
	// called is how often an invocation has called the bus, hung is when a process last got no answer
	// from it.
	called map[*world.Invocation]int
	hung   map[*world.Process]time.Time
	// redriven are the instances for which a dead letter was redriven.
	redriven map[string]bool
}

type moment struct {
	instance, what string
	number         string // of an event of a history
	execution      int64  // that has it
	mark           markOf // of what is not in a history
	late           bool   // the problem landed when its process had finished the instance
}

type markOf struct {
	instance string
	stamp    int64
	what     string
	// purged is the last execution of the previous instance with this id, whose problems were numbered
	// separately.
	purged int64
}

type numbered struct{ instance, number string }

// notifiedOf returns the type of instance event that a history event causes; empty for none.
func notifiedOf(e *history.Event, execution int64, messaged bool) string {
	switch e.Kind {
	case history.OrchestrationStarted:
		if messaged {
			return beginning(execution)
		}
	case history.OrchestrationRedriven:
		return beginning(execution)
	case history.OrchestrationResumed:
		if ledger.Agrees(e) {
			return ""
		}
	case history.OrchestrationFailed:
		kind := ""
		if e.Failure != nil {
			kind = e.Failure.Kind
		}
		switch {
		case kind == history.FailureTerminated || e.Forced == history.ForcedByOperator:
			return "terminated"
		case kind == history.FailureCancelled:
			return "cancelled"
		}
		return "failed"
	}
	return map[history.Kind]string{history.OrchestrationSuspended: "suspended", history.OrchestrationResumed: "resumed",
		history.OrchestrationContinuedAsNew: "continued_as_new", history.OrchestrationCompleted: "completed"}[e.Kind]
}

// beginning returns the type of instance event for an execution that a message starts. A fork starts
// with the history of another instance, and is reported as a start.
func beginning(execution int64) string {
	if execution > 1 {
		return "restarted"
	}
	return "started"
}

// expectsTurn records the instance events that must be published for a turn that has landed.
func (w *checker) expectsTurn(t *store.Turn) {
	if !w.Subscribed() {
		return
	}
	for i := range t.Events {
		e := &t.Events[i]
		if what := notifiedOf(e, t.ExecutionID, t.Messaged); what != "" {
			w.notices.happened = append(w.notices.happened, moment{instance: t.Instance, what: what, execution: t.ExecutionID, number: fmt.Sprintf("%010d.%010d.%010d", t.ExecutionID, e.EventID, 0)})
		}
	}
}

// expectsProblem records the instance events that must be published for a problem that has landed.
func (w *checker) expectsProblem(x *world.Write) {
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
		if w.notices.landed[at] {
			return // A write that finds its own earlier attempt: the change was recorded when it landed.
		}
		note(&w.notices.landed, at, true)
	}
	if what == "" {
		return
	}
	if r, err := w.Describe(g.instance); err != nil || r.Stamp != stamp {
		return // It finds its own earlier write; others have followed.
	}
	m := markOf{g.instance, stamp, what, w.Ledger.Hidden[g.instance]}
	if w.notices.marks[m] {
		return
	}
	note(&w.notices.marks, m, true)
	w.notices.happened = append(w.notices.happened, moment{instance: g.instance, what: what, mark: m, late: x.By.Dead || x.By.Running != x.In})
}

// Publishes implements world.Watcher: only events that happened are published, and a repeated event is
// equal to the first.
func (w *checker) Publishes(p *world.Process, e *host.InstanceEvent) {
	w.Reached("events about instances")
	var execution, event, stamp int64
	if n, err := fmt.Sscanf(e.Number, "%d.%d.%d", &execution, &event, &stamp); n != 3 || err != nil || execution != e.Execution {
		w.Violate("published", "%s publishes %+v, whose number does not belong to execution %d", p.Name, *e, e.Execution)
		return
	}
	at := numbered{e.Instance, e.Number}
	if before, again := w.notices.published[at]; again {
		w.Reached("events about instances, twice")
		if !reflect.DeepEqual(before, *e) {
			w.Violate("published", "%s publishes %+v, but another event with that number was %+v", p.Name, *e, before)
		}
		return
	}
	note(&w.notices.published, at, *e)
	if stamp > 0 {
		m := markOf{e.Instance, stamp, e.Type, w.purgedBefore(e.Instance, execution)}
		if !w.notices.marks[m] {
			w.Violate("published", "%s publishes %+v, but there is no such problem", p.Name, *e)
		}
		if before := w.notices.numbers[m]; before != "" {
			w.Violate("published", "%s publishes %+v, but problem %d had the number %s before", p.Name, *e, stamp, before)
		}
		w.Reached("events about instances, " + e.Type)
		note(&w.notices.numbers, m, e.Number)
		return
	}
	x, before := w.Ledger.Executions[ledger.At(e.Instance, e.Execution)], w.Ledger.Executions[ledger.At(e.Instance, w.Ledger.Before(e.Instance, e.Execution))]
	messaged := before == nil || before.End() == nil || before.End().Kind != history.OrchestrationContinuedAsNew
	if x == nil || event != e.EventID || event < 1 || event > int64(len(x.Events)) || notifiedOf(&x.Events[event-1], e.Execution, messaged) != e.Type {
		w.Violate("published", "%s publishes %+v, which has not happened", p.Name, *e)
		return
	}
	w.Reached("events about instances, " + e.Type)
}

// busWaits is how long a process waits for a bus at most, and busRests how long it does not call a bus
// that did not answer.
const busWaits, busRests = 2 * time.Second, 30 * time.Second

// CallsBus implements world.Watcher: the events that wait in the delay queue are published in one call,
// and a bus that did not answer is not called for 30 seconds.
func (w *checker) CallsBus(p *world.Process, hangs bool) {
	if p.Dead || p.Running == nil {
		return
	}
	if at, hung := w.notices.hung[p]; hung && w.Clock.Now().Before(at.Add(busRests)) && !w.besides(p) {
		w.Violate("published", "%s calls a bus that did not answer at %s", p.Name, at.Format(time.TimeOnly))
	}
	if hangs {
		note(&w.notices.hung, p, w.Clock.Now())
	}
	if !ofDelays(p.Running) {
		return
	}
	note(&w.notices.called, p.Running, w.notices.called[p.Running]+1)
	if w.notices.called[p.Running] > 1 {
		w.Violate("published", "%s calls the bus twice for a batch of the delay queue", p.Name)
	}
}

// besides reports whether several dispatches of an invocation run concurrently, which may call the bus
// at the same time.
func (w *checker) besides(p *world.Process) bool {
	return w.notices.hung[p].Add(busWaits).After(w.Clock.Now())
}

// waitsForBus: no message that is due waits for the bus.
func (w *checker) waitsForBus(p *world.Process, to *world.Queue, body string) {
	if p.Running != nil && to.FIFO() && w.notices.called[p.Running] > 0 {
		w.Violate("published", "%s has called the bus, and forwards a message that is due after that: %s", p.Name, world.BodyText(body))
	}
}

// ofDelays reports whether a batch comes from the delay queue.
func ofDelays(inv *world.Invocation) bool {
	return !slices.ContainsFunc(inv.Batch, func(m world.Delivered) bool { return m.Source != platform.SourceDelay })
}

// purgedBefore returns the last execution of the instance that was purged before an execution.
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

// checkPublished is I-07 for an event about an instance that waited: it is published, or continues to
// wait.
func (w *checker) checkPublished(inv *world.Invocation, m world.Delivered, item *wire.Item) {
	if _, published := w.notices.published[numbered{item.Instance, item.ID}]; !published && !w.queued(item) {
		w.Violate("I-07", "%s acknowledged %s of %s, which is neither published nor queued: %s", inv.P.Name, m.ID, m.From.Name, world.BodyText(m.Body))
	}
}

// waitsForPurge reports whether a problem landed after the process that set it had finished the
// instance, and a process ended the instance without reading the record, which still has the unreported
// problem.
func (w *checker) waitsForPurge(m *moment) bool {
	r, err := w.Describe(m.instance)
	return err == nil && m.late && r.Status.Terminal() && r.Stamp == m.mark.stamp && r.Unreported != ""
}

// farBack reports whether an event of a history is further back than a redriven message resends: the
// message whose turn recorded it may have been a dead letter for that long.
func (w *checker) farBack(m *moment) bool {
	return m.execution > 0 && w.notices.redriven[m.instance] && w.Ledger.Last[m.instance]-m.execution > 100
}

// checkNotified: every instance event was published, and the numbers increase in the order of the
// events.
func (w *checker) checkNotified() {
	last := map[string]string{}
	for _, m := range w.notices.happened {
		number := m.number
		if number == "" {
			number = w.notices.numbers[m.mark]
		}
		if _, published := w.notices.published[numbered{m.instance, number}]; !published {
			if !w.notices.forsaken[m.instance] && !w.WasDamaged(m.instance) && !w.waitsForPurge(&m) && !w.farBack(&m) {
				w.Violate("published", "no notification says that %s was %s (%s, problem %d)", m.instance, m.what, m.number, m.mark.stamp)
			}
			continue
		}
		if number <= last[m.instance] {
			w.Violate("published", "%s was %s, with the number %s, and an earlier event has %s", m.instance, m.what, number, last[m.instance])
		}
		last[m.instance] = number
	}
}
