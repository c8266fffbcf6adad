package deciding

import (
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// tooLarge fails an instance whose turn cannot be committed atomically although each part of it is
// allowed. A further run would give the same turn, so failing the instance prevents a redelivery
// loop; other instances of the batch continue.
func (t *Turn) tooLarge() (p Plan, err error) {
	open := t.Group.Open()
	if t.Group.TooLarge == nil || len(open) == 0 {
		return p, nil
	}
	r := &t.round
	if !failing(r.end) {
		switch start := NewStart(t.View.Record, open); {
		case t.Running.X.Ended():
			return p, nil // The instance has failed, and the messages that its end causes may not have been sent (resend).
		case t.Running.Creating() && forks(start) && start.Item.Parent == nil:
			return starting{t.Known}.refuseRedrive(start, wire.ReasonTooLarge, t.Group.TooLarge)
		case t.Running.Creating():
			r.reset(foreclosing)
			r.arrive(start)
			p = r.run(true)
			p.Run.Arrivals[0].With = nil
		default:
			r.reset(ending)
		}
		r.draft, r.end = nil, overLimit(history.FailureTooLarge, t.Group.TooLarge.Error())
		if !p.empty() {
			return p, nil
		}
	}
	if p, err := r.decide(); err != nil || !p.empty() {
		return p, err
	}
	for _, m := range open {
		if cause := t.progress.cause; cause != nil {
			p.add(deadLetter(m, wire.ReasonTooLarge, fmt.Sprintf("no turn can hold it: %v", cause)))
		} else {
			p.add(settle(m, "too_large"))
		}
	}
	return p, nil
}
