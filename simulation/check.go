package simulation

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// violate notes a broken invariant.
func (w *World) violate(rule, format string, args ...any) {
	v := Violation{rule, fmt.Sprintf(format, args...), w.clock.now}
	w.violations = append(w.violations, v)
	w.log("VIOLATION %s: %s", v.Rule, v.Text)
}

// aboutToCommit checks that a writer has seen all that it appends behind.
func (w *World) aboutToCommit(p *process, c *store.Commit) {
	if p.dead {
		return
	}
	for i := range c.Turns {
		t := &c.Turns[i]
		if seen := p.seen[executionKey{t.Instance, t.ExecutionID}]; t.First() > seen+1 {
			w.violate("blind append", "%s appends at %d of %s/%d and has seen %d events only", p.name, t.First(), t.Instance, t.ExecutionID, seen)
		}
	}
}

// commit makes a commit and, if it landed, notes it and checks what can be
// checked of it at once: I-01, I-02, I-06.
func (w *World) commit(p *process, c *store.Commit) error {
	err := w.store.Commit(context.Background(), *c)
	if err != nil {
		return err
	}
	for i := range c.Turns {
		t := &c.Turns[i]
		key := executionKey{t.Instance, t.ExecutionID}
		x := w.shadow.executions[key]
		if x == nil {
			x = &recorded{completed: map[int64]bool{}, senders: map[string]bool{}}
			w.shadow.executions[key] = x
			w.shadow.last[t.Instance] = max(w.shadow.last[t.Instance], t.ExecutionID)
		}
		if t.First() <= int64(len(x.events)) {
			// Its own append, made before.
			for j := range t.Events {
				at := int(t.First()) - 1 + j
				if at >= len(x.bytes) || !bytes.Equal(x.bytes[at], history.Encode(t.Events[j:j+1])) {
					w.violate("own append", "%s was told that its append at %d of %s/%d is in, which holds something else", p.name, t.First(), t.Instance, t.ExecutionID)
				}
			}
			continue
		}
		w.checkTurn(p, x, t)
		x.add(t)
		if i == 0 {
			w.Commits++
		}
		if t.ExecutionID == 1 && t.First() == 1 {
			w.shadow.born[t.Instance] = w.Steps
			w.scenario.created(w, t.Instance, t.Events[0].Name)
		}
	}
	w.checkRecord(c.Turns[0].Instance)
	return nil
}

// checkTurn is I-01 and I-02 for what is appended.
func (w *World) checkTurn(p *process, x *recorded, t *store.Turn) {
	where := fmt.Sprintf("%s/%d by %s", t.Instance, t.ExecutionID, p.name)
	if end := x.end(); end != nil {
		w.violate("I-01", "%s: appended behind %s", where, end.Kind)
	}
	events := slices.Clone(x.events)
	for i := range t.Events {
		e := t.Events[i]
		if want := int64(len(events)) + 1; e.EventID != want {
			w.violate("I-01", "%s: event id %d stands where %d has to", where, e.EventID, want)
			return
		}
		if (e.EventID == 1) != (e.Kind == history.OrchestrationStarted) {
			w.violate("I-01", "%s: %s stands at %d", where, e.Kind, e.EventID)
		}
		if e.Kind.Terminal() && i != len(t.Events)-1 {
			w.violate("I-01", "%s: %s at %d is not the last", where, e.Kind, e.EventID)
		}
		if want := completes(e.Kind); want != history.KindUnknown {
			switch s := e.SourceEventID; {
			case s < 1 || s >= e.EventID:
				w.violate("I-02", "%s: %s at %d names %d", where, e.Kind, e.EventID, s)
			case events[s-1].Kind != want:
				w.violate("I-02", "%s: %s at %d names a %s", where, e.Kind, e.EventID, events[s-1].Kind)
			case slices.ContainsFunc(events, func(o history.Event) bool { return o.SourceEventID == s }):
				w.violate("I-02", "%s: %s at %d completes %d a second time", where, e.Kind, e.EventID, s)
			case e.Kind == history.TimerFired && e.AtMS < events[s-1].FireAtMS:
				w.violate("T-01", "%s: timer %d fired %d ms early", where, s, events[s-1].FireAtMS-e.AtMS)
			}
		}
		if e.Kind == history.ExternalEvent && e.SenderID != "" && slices.ContainsFunc(events, func(o history.Event) bool {
			return o.Kind == history.ExternalEvent && o.SenderID == e.SenderID
		}) {
			w.violate("E-04", "%s: event %q of sender id %s is recorded twice", where, e.Name, e.SenderID)
		}
		events = append(events, e)
	}
}

// completes says which kind of scheduling event a completion is for. It is
// written down here again, for the checker shares nothing with what it checks.
func completes(k history.Kind) history.Kind {
	switch k {
	case history.ActivityCompleted, history.ActivityFailed:
		return history.ActivityScheduled
	case history.TimerFired:
		return history.TimerCreated
	case history.SubOrchestrationCompleted, history.SubOrchestrationFailed:
		return history.SubOrchestrationScheduled
	}
	return history.KindUnknown
}

// checkRecord is I-06.
func (w *World) checkRecord(instance string) {
	r, err := w.store.Describe(context.Background(), instance)
	if err != nil {
		w.violate("I-06", "%s has a history and no record: %v", instance, err)
		return
	}
	last := w.shadow.last[instance]
	x := w.shadow.executions[executionKey{instance, last}]
	if r.ExecutionID != last {
		w.violate("I-06", "the record of %s is at execution %d, its history at %d", instance, r.ExecutionID, last)
		return
	}
	want := "running"
	end := x.end()
	if end != nil {
		switch {
		case end.Kind == history.OrchestrationCompleted:
			want = "completed"
			if !bytes.Equal(end.Payload, r.Output) {
				w.violate("I-06", "the record of %s has output %s, its history %s", instance, r.Output, end.Payload)
			}
		case end.Kind == history.OrchestrationContinuedAsNew:
			want = "running"
		case end.Imposed == history.ImposedTerminated || end.Failure != nil && end.Failure.Kind == history.FailureTerminated:
			want = "terminated"
		case end.Failure != nil && end.Failure.Kind == history.FailureCancelled:
			want = "cancelled"
		default:
			want = "failed"
		}
	}
	got := string(r.Status)
	if want == "running" && (r.Status == store.StatusStuck || r.Status == store.StatusCorrupt) {
		got = want
	}
	if got != want {
		w.violate("I-06", "the record of %s says %q, its history %q", instance, r.Status, want)
	}
	if r.Status == store.StatusCorrupt {
		w.violate("R-08", "%s is corrupt: %s", instance, r.Problem.Message)
	}
}

// checkRead is I-05: what is read is what landed.
func (w *World) checkRead(turns []store.Turn) {
	for i := range turns {
		t := &turns[i]
		x := w.shadow.executions[executionKey{t.Instance, t.ExecutionID}]
		if x == nil {
			w.violate("I-05", "%s/%d was read and never written", t.Instance, t.ExecutionID)
			return
		}
		for j := range t.Events {
			id := t.Events[j].EventID
			if id > int64(len(x.bytes)) || !bytes.Equal(x.bytes[id-1], history.Encode(t.Events[j:j+1])) {
				w.violate("I-05", "event %d of %s/%d has changed", id, t.Instance, t.ExecutionID)
				return
			}
		}
	}
}

// item parses a message, each once.
func (w *World) item(body string) (wire.Item, error) {
	if item, ok := w.items[body]; ok {
		return item, nil
	}
	item, err := wire.Parse(wire.Unwrap([]byte(body)))
	if err == nil {
		w.items[body] = item
	}
	return item, err
}

// acknowledged is I-07: what is deleted from a queue is accounted for.
func (w *World) acknowledged(p *process, m delivered, began int) {
	item, err := w.item(m.Body)
	if err != nil {
		w.violate("I-07", "%s acknowledged %s, which can't be parsed: %v", p.name, m.ID, err)
		return
	}
	item = item.WithID(m.ID)
	w.lost = w.lost || m.from == w.activityDead
	born, ok := w.shadow.born[item.Target()]
	if ok && born >= began && (item.Kind == wire.CancelInstance || item.Kind == wire.TerminateInstance) {
		return // It met no instance.
	}
	if !w.accounted(&item) && !w.queued(&item) {
		w.violate("I-07", "%s acknowledged %s: %s, which is neither recorded, nor harmless, nor queued", p.name, m.ID, bodyText(m.Body))
	}
}

// accounted reports whether what an item says is in history, or needs not be.
func (w *World) accounted(item *wire.Item) bool {
	target := item.Target()
	last := w.shadow.last[target]
	current := w.shadow.executions[executionKey{target, last}]
	if current == nil {
		// Nothing of the instance is stored. A completion can't be meant for
		// one that never was; a cancel or a wake may.
		return item.Kind == wire.CancelInstance || item.Kind == wire.TerminateInstance || item.Kind == wire.Wake
	}
	switch item.Kind {
	case wire.StartOrchestration, wire.Wake, wire.PurgeInstance:
		return true
	case wire.ActivityCompleted, wire.ActivityFailed, wire.TimerFired, wire.SubOrchCompleted, wire.SubOrchFailed, wire.ActivityExecute:
		source := item.SourceEventID
		if item.Kind == wire.ActivityExecute {
			source = item.SchedulingEventID
		}
		x := w.shadow.executions[executionKey{target, item.TargetExecution()}]
		return x != nil && (x.completed[source] || x.end() != nil)
	case wire.ExternalRaised:
		for n := int64(1); n <= last; n++ {
			if w.shadow.executions[executionKey{target, n}].senders[item.ID] {
				return true
			}
		}
		return w.shadow.ended(target)
	case wire.CancelInstance, wire.TerminateInstance:
		if p := item.Parent; p != nil {
			own := current.events[0].Start.Parent
			if own == nil || own.Instance != p.Instance || own.ExecutionID != p.ExecutionID || own.EventID != p.EventID {
				return true
			}
		}
		if w.shadow.ended(target) {
			return true
		}
		for n := int64(1); n <= last && item.Kind == wire.CancelInstance; n++ {
			if w.shadow.executions[executionKey{target, n}].cancelled {
				return true
			}
		}
	}
	return false
}

// queued reports whether another message says the same, or carries it on.
func (w *World) queued(item *wire.Item) bool {
	for _, q := range []*simQueue{w.fifo, w.delay, w.activity, w.activityDead, w.deadFIFO, w.deadStandard} {
		for _, m := range q.Queue.Peek() {
			other, err := w.item(m.Body)
			if err != nil {
				continue
			}
			if sameFact(item, &other) {
				return true
			}
		}
	}
	return false
}

func sameFact(a, b *wire.Item) bool {
	if a.Target() != b.Target() || a.TargetExecution() != b.TargetExecution() {
		return false
	}
	if a.Kind == wire.ActivityExecute {
		switch b.Kind {
		case wire.ActivityExecute:
			return b.SchedulingEventID == a.SchedulingEventID && b.Attempt >= a.Attempt
		case wire.ActivityCompleted, wire.ActivityFailed:
			return b.SourceEventID == a.SchedulingEventID
		}
		return false
	}
	return a.Kind == b.Kind && a.SourceEventID == b.SourceEventID && a.ID == b.ID && a.Name == b.Name
}

// redrive sends dead letters again that got there by their receive count, or
// as events whose start came too late. It returns how many.
func (w *World) redrive() int {
	n := 0
	for _, q := range []*simQueue{w.deadFIFO, w.deadStandard} {
		msgs, _ := q.Queue.Receive(context.Background(), 10, 0)
		for _, m := range msgs {
			item, err := wire.Parse(wire.Unwrap([]byte(m.Body)))
			reason, _, _ := strings.Cut(m.Attributes[wire.ReasonAttribute], ":")
			if err == nil && (reason == string(wire.ReasonForged) || reason == string(wire.ReasonMisaddressed)) && item.Token == forgedToken {
				continue
			}
			if err != nil || reason != "" && reason != string(wire.ReasonUnknownInstance) {
				w.violate("I-07", "dead letter with reason %q: %s", m.Attributes[wire.ReasonAttribute], bodyText(m.Body))
				return 0
			}
			if reason != "" && w.shadow.last[item.Target()] == 0 {
				continue // Nobody ever started it.
			}
			w.log("redrive of %s", bodyText(m.Body))
			w.send(w.fifo, queue.Outgoing{Body: m.Body, Group: wire.Group(item.Target()), DedupID: wire.HopDedupID("", m.ID),
				Attributes: map[string]string{"turnstile-redrive": "1"}})
			_ = q.Queue.Delete(context.Background(), m)
			n++
		}
	}
	return n
}

// checkEnd checks what must hold when the faults have stopped and nothing is
// left to come.
func (w *World) checkEnd() {
	for _, q := range w.sources {
		if c := q.Queue.Counts(); c.Total() != 0 {
			w.violate("I-07", "queue %s still holds %+v", q.name, c)
		}
	}
	for _, s := range w.timer.Pending() {
		w.violate("I-08", "a schedule is left: %s", bodyText(s.Body))
	}
	for _, instance := range w.shadow.instances() {
		for n := int64(1); n <= w.shadow.last[instance]; n++ {
			w.checkExecution(instance, n)
		}
		w.checkRecord(instance)
		r, err := w.store.Describe(context.Background(), instance)
		if err != nil {
			continue
		}
		if !r.Status.Terminal() {
			why := ""
			if r.Problem != nil {
				why = fmt.Sprintf(" (%s: %s)", r.Problem.Kind, r.Problem.Message)
			}
			w.violate("I-03", "%s is %s%s, and nothing is left that could take it on", instance, r.Status, why)
		}
		if r.Suspect != "" {
			w.violate("W-09", "%s still has the mark of suspect %s", instance, r.Suspect)
		}
	}
	w.scenario.check(w)
}

// checkExecution is I-05 for what is stored, and I-04, and that parents and
// children agree.
func (w *World) checkExecution(instance string, n int64) {
	x := w.shadow.executions[executionKey{instance, n}]
	if x == nil {
		w.violate("I-01", "%s has no execution %d", instance, n)
		return
	}
	turns, err := w.store.Read(context.Background(), instance, n, 1)
	if err != nil {
		w.violate("I-05", "%s/%d can't be read: %v", instance, n, err)
		return
	}
	w.checkRead(turns)
	var events []history.Event
	for i := range turns {
		events = append(events, turns[i].Events...)
	}
	if len(events) != len(x.events) {
		w.violate("I-05", "%s/%d has %d events, %d were written", instance, n, len(events), len(x.events))
		return
	}
	w.checkFamily(instance, n, events)
	execution := engine.New(engine.Config{Instance: instance, ExecutionID: n, Registry: w.good.orchestrations})
	defer execution.Close()
	if err := execution.Feed(events, false); err != nil {
		w.violate("I-04", "%v", err)
		return
	}
	out, err := execution.Run(engine.Input{NowMS: w.clock.now.UnixMilli()})
	if err != nil || len(out.Events) > 0 || out.Stuck != nil {
		w.violate("I-04", "%s/%d does not replay cleanly: %v, %v, %d new events", instance, n, err, out.Stuck, len(out.Events))
	}
}

// checkFamily checks that a child's completion says what the child's record
// does, and that what was started detached is there.
func (w *World) checkFamily(instance string, n int64, events []history.Event) {
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case history.OrchestrationChained:
			if w.shadow.last[e.Instance] == 0 {
				w.violate("P-07", "%s, started detached by %s/%d, does not exist", e.Instance, instance, n)
			}
		case history.SubOrchestrationCompleted, history.SubOrchestrationFailed:
			child := events[e.SourceEventID-1].Instance
			r, err := w.store.Describe(context.Background(), child)
			if err != nil {
				w.violate("P-01", "child %s of %s/%d is complete and has no record", child, instance, n)
				continue
			}
			completed := e.Kind == history.SubOrchestrationCompleted
			if completed != (r.Status == store.StatusCompleted) || completed && !bytes.Equal(e.Payload, r.Output) ||
				!completed && (r.Failure == nil || r.Failure.Kind != e.Failure.Kind) {
				w.violate("P-01", "child %s ended as %s with %s; its parent %s/%d has heard %s with %s", child, r.Status, r.Output, instance, n, e.Kind, e.Payload)
			}
		}
	}
}
