package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
)

// claim makes sure that no attempt of an activity that runs at most once is
// begun twice. Where the attempt was claimed before, whoever did may still be
// at it; once that can no longer be, the attempt counts as interrupted, and
// only a retry policy brings another. If the attempt is not ours, the delay
// and error are those of take.
func (w *Worker) claim(ctx context.Context, m *message, key store.ActivityKey, timeout time.Duration) (mine bool, delay time.Duration, err error) {
	item := &m.item
	token, err := w.random.hex()
	if err != nil {
		return false, 0, err
	}
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
	case claimed.Found.Attempt > item.Attempt:
		// A later attempt was begun: this one has been counted.
		w.Observer.Count(CountAttempts, "superseded", 1)
		return false, 0, nil
	case claimed.Found.Until.After(now):
		return false, min(claimed.Found.Until.Sub(now), queue.MaxVisibility), fmt.Errorf("attempt %d may still be under way: %w", item.Attempt, err)
	}
	w.Observer.Count(CountAttempts, history.FailureInterrupted, 1)
	return false, 0, w.finish(ctx, item, attemptResult{failure: &history.Failure{Kind: history.FailureInterrupted, Source: item.Name,
		Attempt: item.Attempt, Retryable: true, Message: fmt.Sprintf(
			"attempt %d of activity %q was begun before and not heard of again; it runs at most once, so it was not begun anew", item.Attempt, item.Name)}})
}
