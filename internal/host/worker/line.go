package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/attempt"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/sharing"
	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/store"
)

// An attempt that finds no permit of its Limit stands in a line (package limits). Its message
// stays where it is, in flight: the worker hides it for up to limits.MaxWait, notes its receipt,
// and hands it back. A process that frees a permit makes the message of the first in the line
// visible at once. So there is one message at all times, and a crash loses nothing: a message
// that nobody calls is visible when its time is over, and asks again.

// errInLine says that an attempt stands in the line of its limit. Its message is hidden
// already.
var errInLine = errors.New("worker: the attempt waits in the line of its limit")

// mostWrites is how often a change of a limit is tried. Each try that fails means that
// the limit has changed meanwhile.
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
	// Queue that the message is in, if it has a name.
	Queue string `json:"queue,omitempty"`
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
	parked := false
	var got limits.Answer
	var asked, since time.Time
	var waited bool
	var state limits.State
	ask := &change{apply: func(s *limits.State, now time.Time) (next limits.State, called []limits.Who, v verdict) {
		// The message comes back at the earliest when the attempt's time and this
		// margin are over, and so the permit of a worker that has died is free then.
		next, got, called = s.Ask(who, token, r.Limit, now, now.Add(p.Limit.Timeout+w.Settings.Attempt.VisibilityMargin))
		asked, state = now, next
		since, waited = s.Since(who)
		switch {
		case got == limits.Full && next.Permits() < s.Permits():
			return next, called, write // With a lower number than others ask with, which is to count.
		case got == limits.Full:
			return next, nil, look
		case parked != (got == limits.Waits):
			return next, nil, leave
		}
		return next, called, write
	}}
	for {
		if err := w.lines.change(ctx, w.Stops, w.Clock, r.LimitKey, ask); err != nil {
			if ask.unsure && got == limits.Taken {
				p.permits = append(p.permits, permit{r.LimitKey, token, true})
			}
			return nil, err
		}
		if ask.written {
			w.call(ctx, r.LimitKey, ask.called)
		}
		switch {
		case ask.written && got == limits.Taken:
			p.permits, p.asked = append(p.permits, permit{limit: r.LimitKey, token: token}), asked
			w.Observer.Count(host.CountPermits, "taken", 1)
			if waited {
				w.Observer.Timing(host.TimePermit, max(asked.Sub(since), 0))
			}
			return nil, nil
		case ask.written && got == limits.Waits:
			w.Observer.Count(host.CountPermits, "waits", 1)
			return nil, errInLine
		case got == limits.Full && !parked:
			w.Observer.Count(host.CountPermits, "line full", 1)
			return w.withoutPermit(t, nil, time.Time{})
		case parked:
			// A permit has become free meanwhile, or the line full. Somebody may still call this delivery of
			// the message, which must not be done to one whose attempt runs: so the next asks.
			return nil, w.showAgain(ctx, t)
		case w.receivedOften(t):
			// Receives that end without an attempt are not to look like deaths, nor to bring
			// the message to the dead letters: it is sent as a new one, which waits.
			return w.again(&t.item, asked, asked, ""), nil
		}
		if err := w.park(ctx, t, w.waitInLine(t, &state, asked)); err != nil {
			return nil, err
		}
		parked = true
		w.listed(ctx, t, r.LimitKey, &state, asked)
	}
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
// in the line asks when the time of a permit that is not given back is over.
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
	at, err := json.Marshal(receipt{t.ID, t.Receipt, w.Queue})
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
func (w *Worker) listed(ctx context.Context, t *task, limit string, s *limits.State, now time.Time) {
	if now.Sub(time.UnixMilli(s.Listed)) < limits.ListAgain {
		return
	}
	err := limits.List(ctx, w.Stops, limit, now, delivery.Retention)
	if err == nil {
		err = w.changeLine(ctx, limit, func(s *limits.State, now time.Time) (next limits.State, called []limits.Who, v verdict) {
			next, called = s.IsListed(now)
			return next, called, write
		})
	}
	if err != nil {
		w.Logger.DebugContext(ctx, "key of a limit not listed", attrs(&t.item, "key", limit, "error", err)...)
	}
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
			err = w.show(ctx, at)
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
		err = w.changeLine(ctx, limit, func(s *limits.State, now time.Time) (next limits.State, called []limits.Who, v verdict) {
			next, called, is := s.Pass(who, now)
			if !is {
				return next, nil, look
			}
			return next, called, write
		})
		if err != nil {
			w.Logger.DebugContext(ctx, "attempt that cannot be called not passed over; the next is called some seconds later", "key", limit, "error", err)
		}
	}
}

// show makes the message of an attempt that waits visible, in whichever queue it is.
func (w *Worker) show(ctx context.Context, at receipt) error {
	in := w.Queues.Activity
	if at.Queue != w.Queue {
		if in = w.Queues.OfAttempts(cmp.Or(at.Queue, "default")); in == w.Queues.Activity {
			return fmt.Errorf("its message is in queue %q, which this worker does not know", at.Queue)
		}
	}
	return in.SetVisibility(sharing.Alone(ctx), 0, queue.Message{ID: at.Message, Receipt: at.Receipt})
}

// givePermits gives back what an attempt has taken. A permit that cannot be given back
// is free when its time is over.
func (w *Worker) givePermits(ctx context.Context, t *task, p *prepared) {
	for _, held := range p.permits {
		err := w.changeLine(ctx, held.limit, func(s *limits.State, now time.Time) (next limits.State, called []limits.Who, v verdict) {
			if !s.Has(held.token) && !held.unsure {
				return *s, nil, look // Its time is over.
			}
			// Where it is not known to stand, a change refuses it for good.
			next, called = s.Give(held.token, now)
			return next, called, write
		})
		if err == nil {
			w.Observer.Count(host.CountPermits, "returned", 1)
		} else {
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
	err := w.changeLine(ctx, t.item.Retry.LimitKey, func(s *limits.State, now time.Time) (next limits.State, called []limits.Who, v verdict) {
		if !s.Waits(t.who()) {
			return *s, nil, look
		}
		next, called = s.Leave(t.who(), now)
		return next, called, write
	})
	if err != nil {
		w.Logger.DebugContext(ctx, "activity not taken out of the line of its limit; it is passed over", attrs(&t.item, "key", t.item.Retry.LimitKey, "error", err)...)
	}
}

// changeLine changes a limit, and calls those whose turn it is then.
func (w *Worker) changeLine(ctx context.Context, limit string, apply func(*limits.State, time.Time) (limits.State, []limits.Who, verdict)) error {
	x := &change{apply: apply}
	err := w.lines.change(ctx, w.Stops, w.Clock, limit, x)
	if err == nil && x.written {
		w.call(ctx, limit, x.called)
	}
	return err
}
