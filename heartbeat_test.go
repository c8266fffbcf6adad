package turnstile_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

// runOnce runs an orchestration that calls an activity with these options, and returns the error or
// the result.
func runOnce[Out any](t *testing.T, implementation func(context.Context, int) (Out, error), options []turnstile.ActivityOption, is ...turnstile.ImplementationOption) (Out, error) {
	t.Helper()
	work := turnstile.NewActivity[int, Out]("Work").With(options...)
	flow := turnstile.NewOrchestration[int, string]("Flow")
	var out Out
	var failure error
	e := start(t, work.Implement(implementation, is...), flow.Implement(func(ctx turnstile.Context, in int) (string, error) {
		out, failure = work.Call(ctx, in)
		return "", nil
	}))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, flow, 1))
	ok[string](t)(run.Wait(e.ctx))
	return out, failure
}

func TestA11TheNextAttemptReadsTheDetailsOfTheLastHeartbeat(t *testing.T) {
	t.Parallel()
	type progress struct{ Page int }
	got, err := runOnce(t, func(ctx context.Context, _ int) (string, error) {
		last, found, err := turnstile.LastHeartbeat[progress](ctx)
		if err != nil {
			return "", err
		}
		if turnstile.ActivityInfo(ctx).Number == 1 {
			for page := range 4 {
				if err := turnstile.Heartbeat(ctx, progress{page}); err != nil {
					return "", err
				}
			}
			return "", errors.New("out of paper")
		}
		return fmt.Sprint(last.Page, found), nil
	}, []turnstile.ActivityOption{turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 2}), turnstile.HeartbeatTimeout(time.Minute)})
	if err != nil || got != "3 true" {
		t.Errorf("the second attempt found %q, %v", got, err)
	}
}

func TestAHeartbeatThatCannotBeEncodedOrIsTooLargeIsATypedError(t *testing.T) {
	t.Parallel()
	_, err := runOnce(t, func(ctx context.Context, _ int) (int, error) {
		var encode *turnstile.EncodeError
		if err := turnstile.Heartbeat(ctx, func() {}); !errors.As(err, &encode) {
			return 0, fmt.Errorf("a function: %v", err)
		}
		var large *turnstile.PayloadTooLargeError
		if err := turnstile.Heartbeat(ctx, make([]byte, turnstile.MaxPayload)); !errors.As(err, &large) {
			return 0, fmt.Errorf("too large: %v", err)
		}
		if err := turnstile.Heartbeat(ctx, "a text"); err != nil {
			return 0, err
		}
		if turnstile.ActivityInfo(ctx).Number == 1 {
			return 0, errors.New("again")
		}
		var decode *turnstile.DecodeError
		if _, found, err := turnstile.LastHeartbeat[int](ctx); found || !errors.As(err, &decode) {
			return 0, fmt.Errorf("a number out of a text: %v, %v", found, err)
		}
		return 0, nil
	}, []turnstile.ActivityOption{turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 2})})
	if err != nil {
		t.Error(err)
	}
	if err := turnstile.Heartbeat(context.Background(), 1); err != nil {
		t.Errorf("outside of an activity: %v", err)
	}
}

var errGone = errors.New("gone")

type validationError struct{ field string }

func (e *validationError) Error() string { return e.field + " is not valid" }

func TestA04ErrorsThatAreFinal(t *testing.T) {
	t.Parallel()
	retry := []turnstile.ActivityOption{turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 3, NonRetryableCodes: []string{"closed"}})}
	is := []turnstile.ImplementationOption{turnstile.NonRetryableErrors(errGone, context.Canceled), turnstile.NonRetryableErrorType[*validationError]()}
	for _, c := range []struct {
		name    string
		err     error
		attempt int
	}{
		{"by errors.Is", fmt.Errorf("order 7: %w", errGone), 1},
		{"by errors.As", fmt.Errorf("order 7: %w", &validationError{"card"}), 1},
		{"by code", turnstile.WithCode(errors.New("shop"), "closed"), 1},
		{"permanent", turnstile.NonRetryable(errors.New("no")), 1},
		{"permanent, whatever RetryAfter says", turnstile.RetryAfter(turnstile.NonRetryable(errors.New("no")), time.Hour), 1},
		{"any other", errors.New("no luck"), 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := runOnce(t, func(context.Context, int) (int, error) { return 0, c.err }, retry, is...)
			failed, isActivity := errors.AsType[*turnstile.ActivityError](err)
			if !isActivity || failed.Attempt != c.attempt {
				t.Errorf("failed with %v, want attempt %d to be the last", err, c.attempt)
			}
		})
	}
}
