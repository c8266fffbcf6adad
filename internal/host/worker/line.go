package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/attempt"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
)

// An attempt that finds no permit of its Limit stands in a line (package limits). Its
// message stays where it is, in flight: the worker hides it for up to limits.MaxWait,
// notes its receipt, and hands it back. Whoever frees a permit makes the message of the
// first in the line visible at once. So there is one message at all times, and a crash
// loses nothing: a message that nobody calls is visible when its time is over, and asks again.

// errInLine says that an attempt stands in the line of its limit. Its message is hidden
// already.
var errInLine = errors.New("worker: the attempt waits in the line of its limit")

// mostWrites is how often a change of a limit is tried of which others are in the way.
// Each try that fails is a change of somebody else.
const mostWrites = 50

// permit is one that an attempt has taken.
type permit struct {
	limit, token string
	// unsure: nobody has said that it stands; it may be taken later still.
	unsure bool
}

// receipt says where the message of an attempt is that waits.
type receipt struct {
	Message string `json:"message"`
	Receipt string `json:"receipt"`
}

func (t *task) who() limits.Who {
	return limits.Who{ActivityKey: t.key(), Attempt: max(t.item.Attempt, 1)}
}

// takePermit takes a permit of the attempt's Limit, or has it wait for one.
func (w *Worker) takePermit(ctx context.Context, t *task, p *prepared) (instead *answer, err error) {
	r, who := t.item.Retry, t.who()
	token, err := w.random.Hex()
	if err != nil {
		return nil, err
	}
	token = token[:16]
	state, fresh, err := w.lines.known(ctx, w.Stops, r.LimitKey, w.Clock.Now())
	if err != nil {
		return nil, err
	}
	hidden := false
	for range mostWrites {
		// The message comes back at the earliest when the attempt's time and this
		// margin are over, and so the permit of a worker that has died is free then.
		now := w.Clock.Now()
		next, a, called := state.Ask(who, token, r.Limit, now, now.Add(p.Limit.Timeout+w.Settings.Attempt.VisibilityMargin))
		switch {
		case a == limits.Full && fresh:
			w.Observer.Count(host.CountPermits, "line full", 1)
			return w.withoutPermit(t, nil, time.Time{})
		case a == limits.Full:
			if state, err = w.lines.read(ctx, w.Stops, r.LimitKey, now); err != nil {
				return nil, err
			}
			fresh = true
			continue
		case a == limits.Waits && w.receivedOften(t):
			// Receives that end without an attempt are not to look like deaths, nor to bring
			// the message to the dead letters: it is sent as a new one, which waits.
			return w.again(&t.item, now, now, ""), nil
		case a == limits.Waits && !hidden:
			if err := w.park(ctx, t, w.waitInLine(t, &next, now)); err != nil {
				return nil, err
			}
			hidden = true
			continue
		}
		if a == limits.Taken && hidden {
			// A permit has become free meanwhile. Somebody may still call this delivery of the
			// message, which must not be done to one whose attempt runs: so the next takes it.
			return nil, w.showAgain(ctx, t)
		}
		if a == limits.Waits {
			w.listed(ctx, t, &next, now)
		}
		stands, written, err := limits.Write(ctx, w.Stops, r.LimitKey, &next, now, delivery.Retention)
		if err != nil {
			w.lines.forget(r.LimitKey)
			if a == limits.Taken {
				p.permits = append(p.permits, permit{r.LimitKey, token, true})
			}
			return nil, err
		}
		w.lines.note(r.LimitKey, stands, now)
		before := state
		if state, fresh = stands, true; !written {
			continue
		}
		w.call(ctx, r.LimitKey, called)
		if a == limits.Waits {
			w.Observer.Count(host.CountPermits, "waits", 1)
			return nil, errInLine
		}
		p.permits, p.asked = append(p.permits, permit{limit: r.LimitKey, token: token}), now
		w.Observer.Count(host.CountPermits, "taken", 1)
		if since, waited := before.Since(who); waited {
			w.Observer.Timing(host.TimePermit, max(now.Sub(since), 0))
		}
		return nil, nil
	}
	return nil, errBusy(r.LimitKey)
}

func errBusy(limit string) error {
	return fmt.Errorf("worker: limit %q not changed: others have changed it %d times in a row", limit, mostWrites)
}

// receivedOften reports whether one more receive of the message would look as if its
// attempt had killed a process.
func (w *Worker) receivedOften(t *task) bool {
	often := w.Settings.SuspectReceives - 1
	if often <= 1 {
		often = 8
	}
	return t.ReceiveCount >= often
}

// waitInLine is how long an attempt in the line waits before it asks by itself. The first
// asks when the time of a permit is over that nobody gives back.
func (w *Worker) waitInLine(t *task, s *limits.State, now time.Time) time.Duration {
	d := limits.MaxWait
	if s.First(t.who()) {
		if free := s.FirstFree(); !free.IsZero() {
			d = min(d, max(free.Sub(now)+time.Second, time.Second))
		}
	}
	if end, bounded := attempt.TotalEnd(t.item.Retry, time.UnixMilli(t.item.ScheduledAtMS)); bounded {
		d = min(d, max(end.Sub(now), time.Second))
	}
	return d
}

// park hides the message of an attempt that is about to wait, and notes where it is. It
// does so before the attempt is in the line, so that it can be called from then on.
func (w *Worker) park(ctx context.Context, t *task, d time.Duration) error {
	now := w.Clock.Now()
	t.visible = now.Add(d)
	if err := w.Queues.Activity.SetVisibility(ctx, d, t.Message); errors.Is(err, queue.ErrReceiptExpired) {
		return fmt.Errorf("%w: %w", errNotHidden, err)
	} else if err != nil {
		return fmt.Errorf("message of an attempt that waits for a permit not hidden: %w", err)
	}
	at, err := json.Marshal(receipt{t.ID, t.Receipt})
	if err != nil {
		return err
	}
	// The newest receipt stands. One that is older by another clock can't be called, and asks by itself.
	err = w.Stops.Claim(ctx, limits.WaiterKey(t.who()), store.Claim{Attempt: int(now.UnixMilli()), Token: string(at)}, now.Add(delivery.Retention))
	if _, newer := errors.AsType[*store.ClaimedError](err); err != nil && !newer {
		return fmt.Errorf("receipt of an attempt that waits for a permit not noted: %w", err)
	}
	return nil
}

// showAgain makes the message of an attempt visible that was about to wait.
func (w *Worker) showAgain(ctx context.Context, t *task) error {
	if err := w.Queues.Activity.SetVisibility(ctx, 0, t.Message); err != nil {
		return fmt.Errorf("message of an attempt for which a permit is free not made visible: %w", err)
	}
	return errInLine
}

// listed puts the key of a limit for which an attempt waits into the list of keys, once a day.
func (w *Worker) listed(ctx context.Context, t *task, next *limits.State, now time.Time) {
	if now.Sub(time.UnixMilli(next.Listed)) < limits.ListAgain {
		return
	}
	if err := limits.List(ctx, w.Stops, t.item.Retry.LimitKey, now, delivery.Retention); err != nil {
		w.Logger.DebugContext(ctx, "key of a limit not listed", attrs(&t.item, "key", t.item.Retry.LimitKey, "error", err)...)
		return
	}
	next.Listed = now.UnixMilli()
}

// call makes the messages of attempts visible for which permits are free. One that is
// not reached asks by itself.
func (w *Worker) call(ctx context.Context, limit string, called []limits.Who) {
	for _, who := range called {
		item, err := w.Stops.State(ctx, limits.WaiterKey(who))
		var at receipt
		if err == nil {
			err = json.Unmarshal([]byte(item.Claim.Token), &at)
		}
		if err == nil {
			err = w.Queues.Activity.SetVisibility(ctx, 0, queue.Message{ID: at.Message, Receipt: at.Receipt})
		}
		if err == nil {
			w.Observer.Count(host.CountPermits, "called", 1)
			continue
		}
		w.Logger.DebugContext(ctx, "attempt that waits for a permit not called; it asks by itself", "key", limit, "instance", who.Instance, "event_id", who.EventID, "error", err)
		if !errors.Is(err, queue.ErrReceiptExpired) {
			continue
		}
		// Its message is under way, or gone: the permit is for the next.
		err = w.changeLine(ctx, limit, func(s *limits.State, now time.Time) (next limits.State, called []limits.Who, change bool) {
			return s.Pass(who, now)
		})
		if err != nil {
			w.Logger.DebugContext(ctx, "attempt that cannot be called not passed over; the next is called some seconds later", "key", limit, "error", err)
		}
	}
}

// givePermits gives back what an attempt has taken. What cannot be given back is free
// when its time is over.
func (w *Worker) givePermits(ctx context.Context, t *task, p *prepared) {
	for _, held := range p.permits {
		err := w.changeLine(ctx, held.limit, func(s *limits.State, now time.Time) (next limits.State, called []limits.Who, change bool) {
			if !s.Has(held.token) && !held.unsure {
				return *s, nil, false // Its time is over.
			}
			// Where it is not known to stand, a change refuses it for good.
			next, called = s.Give(held.token, now)
			return next, called, true
		})
		if err != nil {
			w.Logger.WarnContext(ctx, "permit not given back; it is free when the attempt's time is over", attrs(&t.item, "key", held.limit, "error", err)...)
		}
	}
	p.permits = nil
}

// leaveLine takes an activity that has ended, without an attempt, out of the line that it
// may stand in.
func (w *Worker) leaveLine(ctx context.Context, t *task) {
	if !limited(t.item.Retry) || t.item.Retry.Limit == 0 || t.ReceiveCount <= 1 && t.item.Hops == 0 {
		return
	}
	w.lines.forget(t.item.Retry.LimitKey)
	err := w.changeLine(ctx, t.item.Retry.LimitKey, func(s *limits.State, now time.Time) (next limits.State, called []limits.Who, change bool) {
		if !s.Waits(t.who()) {
			return *s, nil, false
		}
		next, called = s.Leave(t.who(), now)
		return next, called, true
	})
	if err != nil {
		w.Logger.DebugContext(ctx, "activity not taken out of the line of its limit; it is passed over", attrs(&t.item, "key", t.item.Retry.LimitKey, "error", err)...)
	}
}

// changeLine changes a limit, and calls those whose turn it is then.
func (w *Worker) changeLine(ctx context.Context, limit string, f func(*limits.State, time.Time) (limits.State, []limits.Who, bool)) error {
	state, fresh, err := w.lines.known(ctx, w.Stops, limit, w.Clock.Now())
	if err != nil {
		return err
	}
	for range mostWrites {
		now := w.Clock.Now()
		next, called, change := f(&state, now)
		if !change && fresh {
			return nil
		}
		if !change {
			if state, err = w.lines.read(ctx, w.Stops, limit, now); err != nil {
				return err
			}
			fresh = true
			continue
		}
		stands, written, err := limits.Write(ctx, w.Stops, limit, &next, now, delivery.Retention)
		if err != nil {
			w.lines.forget(limit)
			return err
		}
		w.lines.note(limit, stands, now)
		if state, fresh = stands, true; written {
			w.call(ctx, limit, called)
			return nil
		}
	}
	return errBusy(limit)
}
