package world

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/simulation/fault"
	"github.com/turnstile-go/turnstile/timer"
)

// simTimer is the timer service as a process sees it.
type simTimer struct {
	timer.Timer
	p *Process
}

// maxEarly is how many milliseconds early a schedule may fire: less than its
// precision.
const maxEarly = 59_000

func (t simTimer) Schedule(ctx context.Context, s timer.Schedule) error {
	w := t.p.W
	asked := s
	w.Watch.Schedules(t.p, s.Body)
	switch {
	case t.p.Dead:
		return ErrKilled
	case w.hit(fault.TimerEarly):
		s.Due = s.Due.Add(-time.Duration(1+w.Choices.IntN(w.How(fault.TimerEarly), maxEarly)) * time.Millisecond)
	case w.hit(fault.TimerLate):
		s.Due = s.Due.Add(time.Duration(1+w.Choices.IntN(w.How(fault.TimerLate), 3600)) * time.Second)
	}
	err := t.p.call(timerClass, func() string { return fmt.Sprintf("schedules %s for %s", BodyText(s.Body), w.at(asked.Due)) }, func() error {
		if err := asked.Validate(); err != nil {
			return err
		}
		if !asked.Due.After(w.Clock.Now()) {
			return fmt.Errorf("%w (simulated)", timer.ErrPast)
		}
		if !s.Due.After(w.Clock.Now()) {
			s.Due = w.Clock.Now().Add(time.Millisecond)
		}
		w.Ledger.Outside.Scheduled[s.Name] = true
		return t.Timer.Schedule(ctx, s)
	})
	w.Watch.Scheduled(t.p, asked.Name)
	return err
}

func (t simTimer) Cancel(ctx context.Context, name string) error {
	err := t.p.call(timerClass, func() string { return "removes schedule " + name }, func() error {
		t.p.W.Ledger.Outside.Removed[name] = true
		return t.Timer.Cancel(ctx, name)
	})
	t.p.W.Watch.Scheduled(t.p, name)
	return err
}

// fire delivers what a schedule holds.
func (w *World) fire(s timer.Schedule) error {
	if w.hit(fault.TimerFailed) {
		// Its deliveries failed until the service gave up: the request lies in
		// the schedule's dead-letter queue, which is the delay queue.
		w.SendAs("a schedule", w.Delay, queue.Outgoing{Body: fmt.Sprintf(`{"MessageBody":%q,"MessageGroupId":%q}`, s.Body, s.Group)})
		return nil
	}
	out := queue.Outgoing{Body: s.Body, Group: s.Group}
	if w.hit(fault.TimerTwice) {
		w.Clock.AfterFunc(time.Duration(w.Choices.IntN(w.How(fault.TimerTwice), 600))*time.Second, func() { w.SendAs("a schedule", w.FIFO, out) })
	}
	w.SendAs("a schedule", w.FIFO, out)
	return nil
}
