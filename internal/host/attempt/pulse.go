package attempt

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/store"
)

// Pulse receives the heartbeats of one attempt. Each heartbeat restarts the heartbeat timeout. At most one is
// recorded in an Interval, and the response shows whether the activity must stop.
type Pulse struct {
	// Timeout without a heartbeat; 0 for none.
	Timeout time.Duration
	// Interval is the shortest time between two recorded heartbeats.
	Interval time.Duration
	// Record records a heartbeat now.
	Record func(ctx context.Context, details []byte) (store.ActivityState, error)
	// Extend is called with the first heartbeat, and then with one heartbeat in each Interval, recorded or not,
	// because each shows that the attempt is alive. It may be nil.
	Extend func(ctx context.Context)
	// Look is called in each Interval without a recorded heartbeat and returns whether the activity
	// must stop; nil if the check can wait for the next heartbeat.
	Look func(ctx context.Context) (store.ActivityState, error)
	// Logger receives errors of heartbeats, which do not affect the activity.
	Logger *slog.Logger

	of       made
	mu       sync.Mutex
	stop     func() bool // stops the timeout
	stopLook func() bool
	finished bool
	beats    beats
}

// made has the running attempt whose heartbeats a Pulse records, and the functions that end the
// attempt.
type made struct {
	*Attempt
	expire func(history.Failure)
	cancel context.CancelCauseFunc
}

// beats is the state of an attempt's heartbeats.
type beats struct {
	// recorded is the time of the last heartbeat that was recorded, and extended that of the last
	// heartbeat that called Extend.
	recorded, extended time.Time
	// unsent are details that are not recorded yet.
	unsent []byte
}

// start starts the heartbeat timeout of an attempt.
func (p *Pulse) start(ctx context.Context, of made) {
	p.of = of
	p.mu.Lock()
	defer p.mu.Unlock()
	p.await()
	p.awaitLook(ctx)
}

// awaitLook schedules the next check in an Interval. The caller holds the lock.
func (p *Pulse) awaitLook(ctx context.Context) {
	// In tests a process can die without ending its attempts, so the checks stop at the attempt's
	// deadline.
	if p.Look == nil || p.finished || ctx.Err() != nil || !p.of.Clock.Now().Before(p.of.Info.Deadline) {
		return
	}
	p.stopLook = p.of.Clock.AfterFunc(p.Interval, func() { p.look(ctx) })
}

// look cancels the attempt's context if the activity must stop. It skips the check while a
// heartbeat is being recorded, because the heartbeat returns the same state.
func (p *Pulse) look(ctx context.Context) {
	if !p.mu.TryLock() {
		p.of.Clock.AfterFunc(p.Interval, func() { p.look(ctx) })
		return
	}
	fresh := p.finished || !p.beats.recorded.IsZero() && p.of.Clock.Now().Sub(p.beats.recorded) < p.Interval
	p.mu.Unlock()
	if !fresh {
		state, err := p.Look(ctx)
		if err != nil {
			p.warn(ctx, "cannot check whether the activity must stop; it is checked again later", err)
		}
		p.reported(&state)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.awaitLook(ctx)
}

// reported cancels the attempt's context if the activity must stop.
func (p *Pulse) reported(state *store.ActivityState) {
	if state.Stop {
		p.of.cancel(&activities.StoppedError{Reason: state.StopReason})
	}
}

// await restarts the timeout. The caller holds the lock.
func (p *Pulse) await() {
	if p.Timeout <= 0 || p.finished {
		return
	}
	if p.stop != nil {
		p.stop()
	}
	p.stop = p.of.Clock.AfterFunc(p.Timeout, func() {
		p.of.expire(history.Failure{Kind: history.FailureHeartbeatTimeout, Retryable: true,
			Message: fmt.Sprintf("attempt %d of activity %q sent no heartbeat for %s", p.of.Info.Number, p.of.Info.Name, p.Timeout)})
	})
}

// beat is activities.Pulse. If a heartbeat cannot be recorded, the activity continues, and the next
// heartbeat is recorded.
func (p *Pulse) beat(ctx context.Context, details []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.finished {
		return context.Canceled
	}
	p.await()
	if details != nil {
		p.beats.unsent = details
	}
	now := p.of.Clock.Now()
	if !p.beats.recorded.IsZero() && now.Sub(p.beats.recorded) < p.Interval {
		return context.Cause(ctx)
	}
	state, err := p.Record(ctx, p.beats.unsent)
	// A table that fails for a minute must not cause a second attempt concurrent with this one.
	if p.Extend != nil && (p.beats.extended.IsZero() || now.Sub(p.beats.extended) >= p.Interval) {
		p.beats.extended = now
		p.Extend(ctx)
	}
	if err != nil {
		p.warn(ctx, "could not record a heartbeat", err)
		return context.Cause(ctx)
	}
	p.beats.recorded, p.beats.unsent = now, nil
	p.reported(&state)
	return context.Cause(ctx)
}

// end stops the timeout. Later heartbeats belong to an attempt that has ended.
func (p *Pulse) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finished = true
	if p.stop != nil {
		p.stop()
	}
	if p.stopLook != nil {
		p.stopLook()
	}
}

// Flush records details that were held back because they came too soon after the previous ones, so
// that the next attempt has them.
func (p *Pulse) Flush(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.beats.unsent == nil {
		return
	}
	if _, err := p.Record(ctx, p.beats.unsent); err != nil {
		p.warn(ctx, "could not record the details of the last heartbeat", err)
		return
	}
	p.beats.unsent = nil
}

func (p *Pulse) warn(ctx context.Context, text string, err error) {
	i := &p.of.Info
	p.Logger.WarnContext(ctx, text, "activity", i.Name, "instance", i.Instance, "event_id", i.EventID, "attempt", i.Number, "error", err)
}
