package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/attempt"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// claim makes sure that no attempt of an activity that runs at most once is
// begun twice. Where the attempt was claimed before, whoever did may still be
// at it; once that can no longer be, the orchestrator is told that nothing is
// heard of the attempt (turn.interrupted): it alone knows whether a result came,
// and brings another attempt if a retry policy has one. If the attempt is not
// ours, the delay and error are those of take.
func (w *Worker) claim(ctx context.Context, m *message, key store.ActivityKey, timeout time.Duration) (mine bool, delay time.Duration, err error) {
	item := &m.item
	token, err := w.random.Hex()
	if err != nil {
		return false, 0, err
	}
	m.claim = token
	now := w.Clock.Now()
	err = w.Stops.Claim(ctx, key, store.Claim{Attempt: item.Attempt, Token: token, Until: now.Add(timeout)}, now.Add(w.Settings.StopRetention))
	claimed, refused := errors.AsType[*store.ClaimedError](err)
	switch {
	case err == nil:
		return true, 0, nil
	case !refused:
		// The claim may stand all the same; then this attempt counts as
		// interrupted, which is what at most once means.
		return false, 0, fmt.Errorf("attempt not claimed: %w", err)
	case claimed.Found.Attempt > item.Attempt, claimed.Found.Until.IsZero():
		// A later attempt was begun, or this one is over: it has been counted.
		w.Observer.Count(host.CountAttempts, "superseded", 1)
		return false, 0, nil
	case claimed.Found.Until.After(now):
		return false, min(claimed.Found.Until.Sub(now), queue.MaxVisibility), fmt.Errorf("attempt %d may still be under way: %w", item.Attempt, err)
	}
	w.Observer.Count(host.CountAttempts, "unheard", 1)
	return false, 0, w.sendUnheard(ctx, item)
}

// sendUnheard tells the orchestrator of an attempt that was begun before. Its
// deduplication id is not that of the activity's failure, which may follow soon.
func (w *Worker) sendUnheard(ctx context.Context, item *wire.Item) error {
	unheard := w.end(item, &history.Failure{Kind: history.FailureInterrupted, Source: item.Name, Attempt: item.Attempt, Retryable: true, Message: fmt.Sprintf(
		"attempt %d of activity %q was begun before and not heard of again; it runs at most once, so it was not begun anew", item.Attempt, item.Name)}, 0)
	return w.sendAs(ctx, &unheard, wire.HopDedupID(wire.DedupID(&unheard), fmt.Sprintf("unheard %d", item.Attempt)))
}

// settleClaim notes that a claimed attempt is over, where what came of it stands
// in no history: it is pending, or was followed by another. A message that comes
// again finds it, and counts nothing as interrupted. A result needs no note: the
// orchestrator has it.
func (w *Worker) settleClaim(ctx context.Context, m *message, key store.ActivityKey, r *attempt.Result) {
	item := &m.item
	if m.claim == "" || !r.Pending && (r.Failure == nil || !activity.Retryable(item.Retry, r.Failure, item.Attempt)) {
		return
	}
	err := w.Stops.Claim(ctx, key, store.Claim{Attempt: item.Attempt, Token: m.claim}, w.Clock.Now().Add(w.Settings.StopRetention))
	if _, later := errors.AsType[*store.ClaimedError](err); err != nil && !later {
		w.Logger.WarnContext(ctx, "attempt that is over not noted; it may count as interrupted if its message comes again", "activity", item.Name,
			"instance", item.Instance, "event_id", item.SchedulingEventID, "attempt", item.Attempt, "error", err)
	}
}

// unheard reports whether a message says that nothing is heard of an attempt.
func (m *message) unheard() bool {
	return m.item.Kind == wire.ActivityFailed && m.item.Details != nil && m.item.Details.Kind == history.FailureInterrupted
}

// brings reports whether one of the messages is the result, or the last failure,
// of an activity that is open: behind it nothing is unheard of.
func (t *turn) brings(source int64) bool {
	return slices.ContainsFunc(t.group.open(), func(m *message) bool {
		i := &m.item
		return i.SourceEventID == source && (i.Kind == wire.ActivityCompleted || i.Kind == wire.ActivityFailed && !m.unheard()) &&
			t.x.Judge(engine.Arrival{ExecutionID: i.ExecutionID, Token: i.Token, Proven: m.proven,
				Event: history.Event{Kind: history.ActivityCompleted, SourceEventID: source}}).Kind == engine.Recorded
	})
}

// interrupted takes the message that nothing is heard of an attempt that runs at
// most once. Messages of an instance keep their order, so a result that was sent
// before stands in history, and the activity is not open. Where another attempt
// follows, the message is settled; else it is the failure of the activity.
func (t *turn) interrupted(ctx context.Context, m *message) error {
	if _, open := t.work[m.item.SourceEventID]; !open || m.item.Details == nil {
		return nil
	}
	if t.warm && !t.confirmed {
		return errRebuild // As in nextOf.
	}
	scheduled, err := t.scheduled(ctx, m.item.SourceEventID)
	if err != nil {
		return err
	}
	f := *m.item.Details.History()
	if scheduled.Retry == nil || !scheduled.Retry.AtMostOnce {
		return nil
	}
	t.Observer.Count(host.CountAttempts, history.FailureInterrupted, 1)
	if !activity.Retryable(scheduled.Retry, &f, f.Attempt) {
		return nil
	}
	return t.nextOf(ctx, m, scheduled, &f, "interrupted")
}
