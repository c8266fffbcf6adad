package host

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/clock"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// pulse takes the heartbeats of one attempt. Each holds off the heartbeat
// timeout; no more than one an interval is recorded, and what is recorded
// tells whether the activity is to stop.
type pulse struct {
	// timeout without a heartbeat; 0 for none.
	timeout time.Duration
	// interval between two heartbeats that are recorded, at least.
	interval time.Duration
	// record a heartbeat of now.
	record func(ctx context.Context, details []byte) (store.ActivityState, error)
	// extend is called behind each that was recorded; nil for nothing.
	extend func(ctx context.Context)
	log    func(ctx context.Context, text string, args ...any)

	clock  clock.Clock
	expire func(history.Failure)
	cancel context.CancelCauseFunc
	info   *activity.Info

	mu       sync.Mutex
	stop     func() bool // of the timeout
	last     time.Time   // recorded
	unsent   []byte      // details not recorded yet
	finished bool
}

// begin starts the heartbeat timeout of an attempt.
func (p *pulse) begin(a *attempt, expire func(history.Failure), cancel context.CancelCauseFunc) {
	p.clock, p.expire, p.cancel, p.info = a.clock, expire, cancel, &a.info
	p.mu.Lock()
	defer p.mu.Unlock()
	p.await()
}

// await starts the timeout anew. The caller holds the lock.
func (p *pulse) await() {
	if p.timeout <= 0 || p.finished {
		return
	}
	if p.stop != nil {
		p.stop()
	}
	p.stop = p.clock.AfterFunc(p.timeout, func() {
		p.expire(history.Failure{Kind: history.FailureHeartbeatTimeout, Retryable: true,
			Message: fmt.Sprintf("attempt %d of activity %q gave no heartbeat for %s", p.info.Attempt, p.info.Name, p.timeout)})
	})
}

// beat is activity.Pulse. One that can't be recorded is no matter of the
// activity: the next one is.
func (p *pulse) beat(ctx context.Context, details []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.finished {
		return context.Canceled
	}
	p.await()
	if details != nil {
		p.unsent = details
	}
	now := p.clock.Now()
	if !p.last.IsZero() && now.Sub(p.last) < p.interval {
		return context.Cause(ctx)
	}
	state, err := p.record(ctx, p.unsent)
	if err != nil {
		p.log(ctx, "heartbeat not recorded", "activity", p.info.Name, "instance", p.info.Instance,
			"event_id", p.info.EventID, "attempt", p.info.Attempt, "error", err)
		return context.Cause(ctx)
	}
	p.last, p.unsent = now, nil
	if p.extend != nil {
		p.extend(ctx)
	}
	if state.Stop {
		p.cancel(&activity.StoppedError{Reason: state.StopReason})
	}
	return context.Cause(ctx)
}

// end stops the timeout: what comes from now on is of an attempt that is over.
func (p *pulse) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finished = true
	if p.stop != nil {
		p.stop()
	}
}

// flush records the details that came too soon behind the ones before, so that
// the next attempt has them.
func (p *pulse) flush(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unsent == nil {
		return
	}
	if _, err := p.record(ctx, p.unsent); err != nil {
		p.log(ctx, "details of the last heartbeat not recorded", "activity", p.info.Name, "instance", p.info.Instance,
			"event_id", p.info.EventID, "attempt", p.info.Attempt, "error", err)
		return
	}
	p.unsent = nil
}
