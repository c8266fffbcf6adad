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

// Pulse takes the heartbeats of one attempt. Each holds off the heartbeat
// timeout; no more than one an interval is recorded, and what is recorded
// tells whether the activity is to stop.
type Pulse struct {
	// Timeout without a heartbeat; 0 for none.
	Timeout time.Duration
	// Interval between two heartbeats that are recorded, at least.
	Interval time.Duration
	// Record a heartbeat at this moment.
	Record func(ctx context.Context, details []byte) (store.ActivityState, error)
	// Extend is called with the first heartbeat and then with one each Interval,
	// recorded or not, for the attempt lives; nil for nothing.
	Extend func(ctx context.Context)
	// Look tells each Interval in which no heartbeat was recorded whether the activity is to
	// stop; nil where that can wait for a heartbeat.
	Look func(ctx context.Context) (store.ActivityState, error)
	// Logger takes errors of heartbeats, which do not concern the activity.
	Logger *slog.Logger

	of       made
	mu       sync.Mutex
	stop     func() bool // of the timeout
	stopLook func() bool
	finished bool
	beats    beats
}

// made is the attempt of a Pulse.
type made struct {
	*Attempt
	expire func(history.Failure)
	cancel context.CancelCauseFunc
}

// beats is what became of the heartbeats of an attempt.
type beats struct {
	// recorded and extended are when the last one was.
	recorded, extended time.Time
	// unsent are the details that are not recorded yet.
	unsent []byte
}

// begin starts the heartbeat timeout of an attempt.
func (p *Pulse) begin(ctx context.Context, of made) {
	p.of = of
	p.mu.Lock()
	defer p.mu.Unlock()
	p.await()
	p.awaitLook(ctx)
}

// awaitLook has the next look made when an Interval has passed. The caller holds the lock.
func (p *Pulse) awaitLook(ctx context.Context) {
	// A process that dies ends no attempt: nothing looks after the attempt's time.
	if p.Look == nil || p.finished || ctx.Err() != nil || !p.of.Clock.Now().Before(p.of.Info.Deadline) {
		return
	}
	p.stopLook = p.of.Clock.AfterFunc(p.Interval, func() { p.look(ctx) })
}

// look ends the attempt's context if the activity is to stop. While a heartbeat is recorded it
// does not wait for that, which tells the same.
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
			p.warn(ctx, "not known whether the activity is to stop; the next look tells", err)
		}
		p.told(&state)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.awaitLook(ctx)
}

// told ends the attempt's context if the activity is to stop.
func (p *Pulse) told(state *store.ActivityState) {
	if state.Stop {
		p.of.cancel(&activities.StoppedError{Reason: state.StopReason})
	}
}

// await starts the timeout anew. The caller holds the lock.
func (p *Pulse) await() {
	if p.Timeout <= 0 || p.finished {
		return
	}
	if p.stop != nil {
		p.stop()
	}
	p.stop = p.of.Clock.AfterFunc(p.Timeout, func() {
		p.of.expire(history.Failure{Kind: history.FailureHeartbeatTimeout, Retryable: true,
			Message: fmt.Sprintf("attempt %d of activity %q gave no heartbeat for %s", p.of.Info.Attempt, p.of.Info.Name, p.Timeout)})
	})
}

// beat is activities.Pulse. If one cannot be recorded, the activity
// continues: the next one is recorded.
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
	// A table that refuses for a minute must not bring a second attempt beside this one.
	if p.Extend != nil && (p.beats.extended.IsZero() || now.Sub(p.beats.extended) >= p.Interval) {
		p.beats.extended = now
		p.Extend(ctx)
	}
	if err != nil {
		p.warn(ctx, "heartbeat not recorded", err)
		return context.Cause(ctx)
	}
	p.beats.recorded, p.beats.unsent = now, nil
	p.told(&state)
	return context.Cause(ctx)
}

// end stops the timeout: what comes from now on is of an attempt that is over.
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

// Flush records the details that were held back because they came too soon, so
// that the next attempt has them.
func (p *Pulse) Flush(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.beats.unsent == nil {
		return
	}
	if _, err := p.Record(ctx, p.beats.unsent); err != nil {
		p.warn(ctx, "details of the last heartbeat not recorded", err)
		return
	}
	p.beats.unsent = nil
}

func (p *Pulse) warn(ctx context.Context, text string, err error) {
	i := &p.of.Info
	p.Logger.WarnContext(ctx, text, "activity", i.Name, "instance", i.Instance, "event_id", i.EventID, "attempt", i.Attempt, "error", err)
}
