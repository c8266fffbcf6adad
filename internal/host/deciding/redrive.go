package deciding

import (
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/internal/redriving"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// A redrive is a start with its own conflict policy: the next execution of an ended instance
// continues where the ended one failed (engine/redrive.go). The events that it copies are committed
// before its code runs, parked like the first events after a continue-as-new. They are committed in
// one write or, if they do not fit, in several writes under a reserved number
// (orchestrator/write.go). The operations that are open in the copy are sent by the commit in which
// the code agrees with the copied events (internal/redriving/held.go). In all other respects a
// redrive is like a start that restarts an instance.

// redrive continues the instance as the start requests, or refuses the start. The plan is empty if
// it does neither.
func (s starting) redrive(m *inbox.Message, r *store.Record) (p Plan, err error) {
	if s.Running.X == nil {
		return p, ErrStale // The history is needed and was not read.
	}
	var from int64
	if o := m.Item.Origin; o != nil {
		if o.ExecutionID != 0 && o.ExecutionID != r.ExecutionID {
			return p, nil // The instance has been restarted since.
		}
		from = o.EventID
	}
	if r.Status == store.StatusCompleted && from == 0 && m.Item.OnConflict.UsesExisting() {
		return p, nil // The parent waits for the child's output.
	}
	if s.Group.TooLarge != nil {
		return s.refuseRedrive(m, wire.ReasonTooLarge, s.Group.TooLarge)
	}
	turns, err := s.View.Turns(s.Running.Execution)
	if err != nil {
		return p, err
	}
	next := r.Next(m.Item.ID)
	request := redriving.Request{From: from, ExecutionID: next, StartID: m.Item.ID,
		Parent: recordedParent(m.Item.Parent), Actor: m.Item.Actor, Reason: m.Item.Reason, Cancelled: cancelledBy(turns)}
	request.LimitKey, request.Limit = s.By.limitAgain(reading.EventsOf(turns))
	d, err := s.Running.X.Redrive(request)
	if refused, is := errors.AsType[*redriving.Error](err); is {
		return s.refuseRedrive(m, wire.ReasonRedriveRefused, refused)
	}
	p.Next = &Next{Again: next, By: m, Redriven: d}
	return p, err
}

// landed is the longest time between sending a write and its effect, plus a margin for clock skew.
const landed = 6 * time.Minute

// refuseRedrive turns a start that would redrive or fork an instance into a dead letter. A parent
// is notified that its child has failed, as before the redrive.
//
// An earlier delivery or a duplicate invocation may have committed the fork before its process
// died, and this delivery may refuse it, for example because the original was purged in the
// meantime. Then no message would run the code of the fork. So an isolated read checks that no such
// commit exists. The write of an earlier delivery may land late, even after the queue has moved the
// message to its dead-letter queue, so the start is first requeued for the longest time that a
// write may take. A start that has reserved a number gives up the number instead, and then no write
// of its copy takes effect.
func (s starting) refuseRedrive(m *inbox.Message, reason wire.Reason, why error) (Plan, error) {
	p := s.givesUp(m)
	if reserved := !p.empty(); !reserved {
		starts := s.Running.Execution
		if !s.Running.Creating() {
			starts = s.View.Record.Highest() + 1
		}
		if s.Answered != Behind {
			return Plan{}, &Read{What: Behind, Execution: starts, Event: 1}
		}
		if m.ReceiveCount > 1 || m.FromDeadLetters() {
			return settlement(Settlement{Message: m, Outcome: "redrive_refused", Requeue: &Requeue{Item: m.Item, Due: s.Now.At.Add(landed)}}), nil
		}
	}
	if m.Item.Parent != nil {
		told := tellRefused(m, "redrive_refused", taken(history.FailureStuck, "instance %q failed before, and is not redriven: %v", s.View.Instance, why))
		p.Send.Parents, p.Settled = told.Send.Parents, told.Settled
	} else if forks(m) {
		p.add(deadLetter(m, reason, fmt.Sprintf("fork of instance %q as %q refused; nothing was changed: %v", m.Item.Origin.Instance, s.View.Instance, why)))
	} else {
		p.add(deadLetter(m, reason, fmt.Sprintf("redrive of instance %q refused; nothing was changed: %v", s.View.Instance, why)))
	}
	return p, nil
}

// givesUp makes a refused start give up the number that it has reserved. The plan is empty if it has
// reserved none.
func (s starting) givesUp(m *inbox.Message) (p Plan) {
	switch r := s.View.Record; {
	case forking(r) && r.StartID == m.Item.ID:
		return purging{s.Known}.frees(time.Time{})
	case r != nil && r.Reserves(m.Item.ID):
		change := r.GiveUp()
		p.Record = &Write{Failed: "could not give up the number reserved for instance %q", Change: &change}
	}
	return p
}

// limitAgain returns the limit of an execution that continues after these events. A build that lacks
// the code does not know the limit, so it uses the limit of the last wait in the history.
func (t *Terms) limitAgain(events []history.Event) (key string, n int) {
	started := &events[0]
	if _, err := t.Orchestrations.Lookup(started.Name, started.Version); err == nil || started.Start != nil && started.Start.LimitKey != "" {
		return t.limit(started)
	}
	for i := range events {
		if e := &events[i]; e.Kind == history.OrchestrationSuspended && e.LimitKey != "" {
			key, n = e.LimitKey, e.Limit
		}
	}
	return key, n
}

// copies reports whether the next commit has events that a redrive copies.
func (r *Running) copies() bool {
	return r.Creating() && r.Redriven != nil && len(r.Redriven.Prefix) > 0
}

// whole returns the turn of a commit that has the copied events of a redrive in front of the
// draft's events.
func (r *Running) whole(d *draft) engine.Turn {
	all := d.Turn
	all.Cancelled = r.Redriven.Closed // No code has run.
	all.Events = append(r.Redriven.Prefix[:len(r.Redriven.Prefix):len(r.Redriven.Prefix)], d.Events...)
	return all
}

// cancelledBy returns the operations that the commits of an execution have cancelled.
func cancelledBy(turns []store.Turn) (all []redriving.Cancelled) {
	for i := range turns {
		if c := turns[i].Cancelled; len(c) > 0 {
			all = append(all, redriving.Cancelled{Events: c, By: turns[i].Last()})
		}
	}
	return all
}
