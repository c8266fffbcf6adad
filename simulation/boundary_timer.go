package simulation

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/timer"
)

// simTimer is the timer service as a process sees it.
type simTimer struct {
	timer.Timer
	p *process
}

// maxEarly is how many milliseconds early a schedule may fire: less than its
// precision.
const maxEarly = 59_000

func (t simTimer) Schedule(ctx context.Context, s timer.Schedule) error {
	w := t.p.w
	asked := s
	w.watch.schedules(t.p, s.Body)
	switch {
	case t.p.dead:
		return errKilled
	case w.hit(TimerEarly):
		s.Due = s.Due.Add(-time.Duration(1+w.choices.IntN(w.how(TimerEarly), maxEarly)) * time.Millisecond)
	case w.hit(TimerLate):
		s.Due = s.Due.Add(time.Duration(1+w.choices.IntN(w.how(TimerLate), 3600)) * time.Second)
	}
	err := t.p.call(timerClass, func() string { return fmt.Sprintf("schedules %s for %s", bodyText(s.Body), w.at(asked.Due)) }, func() error {
		if err := asked.Validate(); err != nil {
			return err
		}
		if !asked.Due.After(w.clock.Now()) {
			return fmt.Errorf("%w (simulated)", timer.ErrPast)
		}
		if !s.Due.After(w.clock.Now()) {
			s.Due = w.clock.Now().Add(time.Millisecond)
		}
		w.ledger.outside.scheduled[s.Name] = true
		return t.Timer.Schedule(ctx, s)
	})
	w.watch.scheduled(t.p, asked.Name)
	return err
}

func (t simTimer) Cancel(ctx context.Context, name string) error {
	err := t.p.call(timerClass, func() string { return "removes schedule " + name }, func() error {
		t.p.w.ledger.outside.removed[name] = true
		return t.Timer.Cancel(ctx, name)
	})
	t.p.w.watch.scheduled(t.p, name)
	return err
}

// fire delivers what a schedule holds.
func (w *World) fire(s timer.Schedule) error {
	if w.hit(TimerFailed) {
		// Its deliveries failed until the service gave up: the request lies in
		// the schedule's dead-letter queue, which is the delay queue.
		w.sendAs("a schedule", w.delay, queue.Outgoing{Body: fmt.Sprintf(`{"MessageBody":%q,"MessageGroupId":%q}`, s.Body, s.Group)})
		return nil
	}
	out := queue.Outgoing{Body: s.Body, Group: s.Group}
	if w.hit(TimerTwice) {
		w.clock.AfterFunc(time.Duration(w.choices.IntN(w.how(TimerTwice), 600))*time.Second, func() { w.sendAs("a schedule", w.fifo, out) })
	}
	w.sendAs("a schedule", w.fifo, out)
	return nil
}
