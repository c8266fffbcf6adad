package check

import (
	"errors"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Problems of the infrastructure cost only time: this file checks what an outage, or other
// messages in a batch, must not cause.

// trouble is the state of the checks in this file.
type trouble struct {
	// deaths counts the deaths of processes; with counts, for each instance, those of its messages
	// that were in their hands.
	deaths int
	with   map[string]int
	// unsure counts, by instance, how often a process did not learn whether its record of a
	// suspected poison message landed.
	unsure map[string]int
	// answered are the messages of attempts whose answer a queue has accepted.
	answered map[string]answer
	// succeeded are activities that run at most once whose result was accepted.
	succeeded map[store.ActivityKey]bool
	// pending is when activities were first reported as pending, in Unix milliseconds.
	pending map[store.ActivityKey]int64
	// again is when a message was last redelivered, by FIFO group, in Unix milliseconds.
	again map[string]int64
	// beaten is the step at which activities last sent a heartbeat.
	beaten map[store.ActivityKey]int
}

// answer records the step at which the answer to a message was accepted, and the number of faults
// until then.
type answer struct{ step, wrong int }

// harmless are the faults that neither redeliver a message nor kill a process.
var harmless = [...]fault.Kind{fault.SlowActivity, fault.Skew, fault.Noise, fault.Forged, fault.TimerLate, fault.Disordered, fault.CountedUp, fault.IndexLate}

// wrong counts the faults so far that may redeliver a message.
func (w *checker) wrong() int {
	n := w.Faults.Total() + w.trouble.deaths
	for _, f := range harmless {
		n -= w.Faults[f]
	}
	return n
}

// noteAgain records the groups whose messages are redelivered: the messages behind them wait too.
func (w *checker) noteAgain(inv *world.Invocation) {
	for _, m := range inv.Batch {
		if m.ReceiveCount > 1 && m.Group != "" {
			note(&w.trouble.again, m.Group, w.Clock.Now().UnixMilli())
		}
	}
}

// diedWith records the messages of a process that dies.
func (w *checker) diedWith(inv *world.Invocation) {
	w.trouble.deaths++
	for _, m := range inv.Batch {
		if item, err := w.Item(m.Body); err == nil {
			note(&w.trouble.with, item.Target(), w.trouble.with[item.Target()]+1)
		}
	}
}

// answers records that a queue has accepted a worker's answer to an attempt, and that the worker
// knows it: its result, its failure, or the next message.
func (w *checker) answers(p *world.Process, body string) {
	if p.Running == nil || p.Dead {
		return
	}
	item, err := w.Item(body)
	if err != nil {
		return
	}
	if p.Worker == nil {
		w.leftItsPlace(item)
		return
	}
	if p.Running.Expired || p.Running.Slowed {
		return // Another process may have its message by now.
	}
	source, attempt := item.SourceEventID, item.Attempt
	switch item.Kind {
	case wire.ActivityCompleted, wire.ActivityFailed, wire.ActivityPending:
	case wire.ActivityExecute:
		source, attempt = item.SchedulingEventID, item.Attempt-1
	default:
		return
	}
	var of []world.Delivered
	for _, m := range p.Running.Batch {
		asked, err := w.Item(m.Body)
		if err != nil || asked.Kind != wire.ActivityExecute || asked.Instance != item.Instance || asked.ExecutionID != item.ExecutionID || asked.SchedulingEventID != source {
			continue
		}
		if item.Kind == wire.ActivityExecute && asked.Attempt == item.Attempt {
			return // It may be the message itself, requeued, and no answer to the previous one.
		}
		if asked.Attempt != attempt {
			continue
		}
		of = append(of, m)
		if key := (store.ActivityKey{Instance: item.Instance, ExecutionID: item.ExecutionID, EventID: source}); item.Kind == wire.ActivityCompleted && asked.Retry != nil && asked.Retry.AtMostOnce {
			note(&w.trouble.succeeded, key, true)
		}
	}
	// If there are two messages for one attempt, it is unknown which was answered, and one with an
	// expired receipt is not deleted.
	if len(of) == 1 && !of[0].Ghost && !of[0].Late {
		note(&w.trouble.answered, of[0].ID, answer{w.Steps, w.wrong()})
	}
}

// leftItsPlace records that a result is requeued or redriven: it has left its position before a
// later message about its activity.
func (w *checker) leftItsPlace(item *wire.Item) {
	if item.Kind == wire.ActivityCompleted {
		delete(w.trouble.succeeded, store.ActivityKey{Instance: item.Instance, ExecutionID: item.ExecutionID, EventID: item.SourceEventID})
	}
}

// lies reports whether the result of an activity is among dead letters: there, too, it has left
// its position.
func (w *checker) lies(dead *world.Queue, key store.ActivityKey) bool {
	return dead.Queue.Any(func(body string) bool {
		item, err := w.Item(body)
		return err == nil && item.Kind == wire.ActivityCompleted && item.Instance == key.Instance && item.ExecutionID == key.ExecutionID && item.SourceEventID == key.EventID
	})
}

// checkAgain: an activity runs again after an accepted answer only if a fault happened meanwhile,
// and one that runs at most once never does after its own success.
func (w *checker) checkAgain(p *world.Process, key store.ActivityKey, info *activities.Info) {
	if w.trouble.succeeded[key] && !w.lies(w.DeadFIFO, key) && !w.lies(w.DeadStandard, key) {
		w.Violate("A-16", "%s starts attempt %d of activity %d of %s/%d, which runs at most once, and whose result was sent", p.Name, info.Number, key.EventID, key.Instance, key.ExecutionID)
	}
	for _, m := range p.Running.Batch {
		a, ok := w.trouble.answered[m.ID]
		if !ok || m.Ghost || w.WasCopied(m.ID) || a.wrong != w.wrong() || p.Running.Started <= a.step {
			continue
		}
		if item, err := w.Item(m.Body); err == nil && item.Instance == key.Instance && item.ExecutionID == key.ExecutionID && item.SchedulingEventID == key.EventID && item.Attempt == info.Number {
			w.Violate("A-08", "%s runs activity %d of %s/%d again, whose attempt %d was answered, although no fault happened", p.Name, key.EventID, key.Instance, key.ExecutionID, info.Number)
		}
	}
}

// checkBlame: an activity is lost, and an instance stuck, only because of a process or its code.
func (w *checker) checkBlame(t *store.Turn) {
	for i := range t.Events {
		e := &t.Events[i]
		if e.Failure == nil || e.SourceEventID == 0 {
			continue
		}
		if e.Failure.Kind == history.FailureLost && w.trouble.with[t.Instance] == 0 {
			w.Violate("A-08", "activity %d of %s/%d is lost, and no process has died with a message of it: %s", e.SourceEventID, t.Instance, t.ExecutionID, e.Failure.Message)
		}
	}
}

// checkMark: an instance is stuck because of code that does not work, or because its turn killed a
// process.
func (w *checker) checkMark(r *store.Record) {
	if w.Walk != nil || r.Status != store.StatusStuck || r.Problem == nil {
		return
	}
	switch {
	case r.Problem.Kind == "killed" && w.trouble.with[r.Instance] == 0 && w.trouble.unsure[r.Instance]+w.Faults[fault.Expired]+w.Faults[fault.Stalled]+w.Faults[fault.Repeated]+w.Faults[fault.OutOfTime] < 2: // Or others have its message, while it is handled or its invocation is past its time.
		w.Violate("W-09", "%s is stuck as killed, but no process has died with a message of it", r.Instance)
	case r.Problem.Kind != "killed" && !w.Other && w.trouble.with[r.Instance] == 0: // Otherwise any process may try an instance that was killed.
		rule := "rule 11"
		if r.Problem.Kind == "nondeterminism" {
			// A patch was rolled out: its messages are requeued for longer than that takes.
			rule = "V-04"
		}
		w.Violate(rule, "%s is stuck, although all code that was ever deployed works: %s: %s", r.Instance, r.Problem.Kind, r.Problem.Message)
	}
}

// unsureOfMark records that the answer to a change of a suspected poison message was lost: the
// next process may find the record although nothing ran under it.
func (w *checker) unsureOfMark(instance string, c *store.RecordChange, err error) {
	if c != nil && (c.Suspect != nil || c.Create != nil && c.Create.Suspect != "") && err != nil && !errors.Is(err, store.ErrConflict) {
		note(&w.trouble.unsure, instance, w.trouble.unsure[instance]+1)
	}
}

// OutOfTime: an invocation ends in time, unless a call or the work of an activity takes far longer
// than it should.
func (w *checker) OutOfTime(inv *world.Invocation) {
	if !inv.Slowed && w.Walk == nil {
		w.Violate("M-12", "%s is out of time, although nothing took longer than allowed", inv.P.Name)
	}
}

// Expires records that a message exceeded the retention of its queue. No outage is that long, so
// the message is lost, unless it is a dead letter that could not be read, or that nothing in the
// run has sent.
func (w *checker) Expires(name string, m queue.Message) {
	if w.WasKept(m.ID) {
		return
	}
	if item, err := w.Item(m.Body); err == nil && !w.ByForger(item) {
		w.Violate("I-07", "queue %s has deleted a message because of its age, received %d times: %s", name, m.ReceiveCount, world.BodyText(m.Body))
	}
}
