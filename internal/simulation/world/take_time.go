package world

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
)

// TakeTime makes an activity take as long as the seed says, or until its context ends.
func (p *Process) TakeTime(ctx context.Context, instance string) error {
	if p.Dead {
		return ErrKilled
	}
	p.W.Watch.Works(p)
	d := time.Duration(p.W.Choices.IntN(p.W.Choices.At(choice.OfDelivery, instance), 200)) * time.Millisecond
	if p.W.hitFor(fault.SlowActivity, instance) {
		p.Running.Slowed = true
		d = time.Duration(p.W.Choices.IntN(p.W.How(fault.SlowActivity), 10*60)) * time.Second
	}
	return p.Takes(ctx, d)
}

// Takes makes the work of an activity take this long, or until its context ends.
func (p *Process) Takes(ctx context.Context, d time.Duration) error {
	for end := p.W.Clock.Now().Add(d); p.W.Clock.Now().Before(end) && ctx.Err() == nil && !p.Dead; {
		p.Pause(min(end.Sub(p.W.Clock.Now()), 5*time.Second))
	}
	if p.Dead {
		return ErrKilled
	}
	return ctx.Err()
}

// LongWork decides how long an activity takes in a run with crowds: a few minutes in one of
// four cases, well within the time limit of an attempt.
func (p *Process) LongWork(instance string) time.Duration {
	w := p.W
	if !w.has(crowds) || p.Worker == nil || !w.Choices.OneIn(w.Choices.At(w.Choices.At(choice.OfDelivery, "crowd"), instance), 4) {
		return 0
	}
	if len(p.Running.Batch) > 1 {
		w.Reached("crowd")
	}
	d := time.Duration(30+w.Choices.IntN(w.Choices.At(choice.OfDelivery, instance), 200)) * time.Second
	if w.Clock.Now().Add(d + time.Minute).After(p.Running.Deadline) {
		return 0 // It would run out of time.
	}
	return d
}
