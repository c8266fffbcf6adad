package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/sharing"
	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/store"
)

// If permits rarely become free, the worker cannot predict when the next one will. So the attempts at the front of the
// waiting list are parked: the worker hides their messages for up to limits.MaxWait, records their receipt handles,
// and returns them. When a process returns a permit that no group waits for, it immediately makes the message of the
// first parked attempt visible. If no process does, the message becomes visible when its visibility timeout expires,
// and the attempt requests a permit again. So a crash loses nothing.

// errParked means that the message of an attempt is hidden until a permit is free.
var errParked = errors.New("worker: the attempt is parked until a permit of its limit is free")

// receipt locates the message of a parked attempt.
type receipt struct {
	Message string `json:"message"`
	Receipt string `json:"receipt"`
	// Queue is the name of the queue that holds the message; empty for the queue without a name.
	Queue string `json:"queue,omitempty"`
}

// mayPark reports whether the message of an attempt may be hidden once more. Otherwise receives that start no attempt
// would make it a suspected poison message, or move it to the dead-letter queue.
func (l *limiter) mayPark(t *task) bool {
	often := l.Settings.SuspectReceives - 1
	if often <= 1 {
		often = 8
	}
	return t.ReceiveCount < often
}

// park hides the message of an attempt until a time, and records its receipt. park must run before
// the item of the limit lists the attempt as parked, because from then on other processes can call
// the attempt.
func (l *limiter) park(ctx context.Context, t *task, until time.Time) error {
	now := l.now()
	d := max(until.Sub(now), time.Second)
	t.visible = now.Add(d)
	if err := l.Queues.Activity.SetVisibility(ctx, d, t.Message); errors.Is(err, queue.ErrReceiptExpired) {
		return fmt.Errorf("%w: %w", errNotHidden, err)
	} else if err != nil {
		return fmt.Errorf("could not hide the message of an attempt that waits for a permit: %w", err)
	}
	at, err := json.Marshal(receipt{t.ID, t.Receipt, l.Queue})
	if err != nil {
		return err
	}
	// The newest receipt wins. A process whose clock is slow may lose to an older receipt. Then no
	// other process can make the message of its attempt visible, so the attempt asks again when the
	// visibility timeout of its message expires.
	err = l.Stops.Claim(ctx, limits.WaiterKey(t.who()), store.Claim{Attempt: int(now.UnixMilli()), Token: string(at)}, now.Add(delivery.Retention))
	if _, newer := errors.AsType[*store.ClaimedError](err); err != nil && !newer {
		return fmt.Errorf("could not record the receipt of an attempt that waits for a permit: %w", err)
	}
	return nil
}

// showAgain makes the message of an attempt that was to be parked visible again.
func (l *limiter) showAgain(ctx context.Context, t *task) error {
	if err := l.Queues.Activity.SetVisibility(ctx, 0, t.Message); err != nil {
		return fmt.Errorf("could not make the message of an attempt visible, although the attempt can get a permit: %w", err)
	}
	return errParked
}

// call makes the messages of parked attempts visible when permits are free for them. An attempt that cannot be called
// asks again when its message becomes visible, and its permit goes to the next attempt.
func (l *limiter) call(ctx context.Context, limit string, called []limits.Who) {
	for len(called) > 0 {
		var missed []limits.Who
		for _, who := range called {
			err := l.callOne(ctx, who)
			if err == nil {
				l.Observer.Count(host.CountPermits, "called", 1)
				continue
			}
			l.Logger.DebugContext(ctx, "could not call a parked attempt; it requests a permit when its message becomes visible", "key", limit, "instance", who.Instance, "event_id", who.EventID, "error", err)
			missed = append(missed, who)
		}
		if called = nil; len(missed) == 0 {
			return
		}
		_, err := l.change(ctx, limit, false, func(s limits.State, now time.Time) (limits.State, bool) {
			s, called = s.Missed(missed, now)
			return s, true
		})
		if err != nil {
			l.Logger.DebugContext(ctx, "could not update the parked attempts; a permit stays reserved for a few seconds", "key", limit, "error", err)
			return
		}
	}
}

// callOne makes the message of one parked attempt visible.
func (l *limiter) callOne(ctx context.Context, who limits.Who) error {
	item, err := l.Stops.State(ctx, limits.WaiterKey(who))
	var at receipt
	if err == nil {
		err = json.Unmarshal([]byte(item.Claim.Token), &at)
	}
	if err == nil {
		err = l.show(ctx, at)
	}
	return err
}

// show makes the message of a parked attempt visible in the queue that holds it.
func (l *limiter) show(ctx context.Context, at receipt) error {
	in := l.Queues.Activity
	if at.Queue != l.Queue {
		if in = l.Queues.OfAttempts(cmp.Or(at.Queue, "default")); in == l.Queues.Activity {
			return fmt.Errorf("the message is in queue %q, which this worker does not know", at.Queue)
		}
	}
	return in.SetVisibility(sharing.Alone(ctx), 0, queue.Message{ID: at.Message, Receipt: at.Receipt})
}
