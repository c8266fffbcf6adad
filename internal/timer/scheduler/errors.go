package scheduler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"
	"github.com/aws/smithy-go"

	"github.com/turnstile-go/turnstile/internal/timer"
)

// createFailed turns the error of CreateSchedule into what it is to the
// caller; nil where it is success.
func (t *Timer) createFailed(ctx context.Context, name string, due time.Time, err error) error {
	var (
		exists  *types.ConflictException
		noGroup *types.ResourceNotFoundException
		invalid *types.ValidationException
		quota   *types.ServiceQuotaExceededException
	)
	wrap := func(format string, args ...any) error {
		return fmt.Errorf("timer: schedule %q in group %q, due %s: "+format, append([]any{name, t.opts.Group, stamp(due)}, args...)...)
	}
	switch {
	case errors.As(err, &exists):
		return nil
	case errors.As(err, &noGroup):
		return wrap("the schedule group does not exist; check its name, the region and that the stack is deployed: %w", err)
	case errors.As(err, &invalid):
		// Scheduler refuses the past with the same error as everything else
		// that it does not like. Only where the clocks can disagree is it taken
		// as such, never for a time that is well ahead.
		now := t.opts.Now()
		if due.Sub(now) <= t.opts.PastMargin {
			return wrap("now %s: %w: %w", stamp(now), timer.ErrPast, err)
		}
		return wrap("EventBridge Scheduler refuses it although it is due in %s; check that it may assume the role %s, and target and dead-letter queue: %w", due.Sub(now).Round(time.Second), t.opts.RoleARN, err)
	case errors.As(err, &quota):
		// Room comes back as schedules fire, and nothing gets lost meanwhile.
		return wrap("the account's quota of schedules is used up; have it raised: %w: %w", timer.ErrUnavailable, err)
	}
	return t.failed(ctx, fmt.Sprintf("create schedule %q", name), err)
}

// deleteFailed is createFailed for DeleteSchedule.
func (t *Timer) deleteFailed(ctx context.Context, name string, err error) error {
	var (
		gone *types.ResourceNotFoundException
		busy *types.ConflictException
	)
	what := fmt.Sprintf("delete schedule %q", name)
	switch {
	case errors.As(err, &gone):
		return nil
	case errors.As(err, &busy):
		// It is being changed at this moment.
		return fmt.Errorf("timer: %s of group %q: %w: %w", what, t.opts.Group, timer.ErrUnavailable, err)
	}
	return t.failed(ctx, what, err)
}

func (t *Timer) failed(ctx context.Context, what string, err error) error {
	switch {
	case ctx.Err() != nil && !errors.Is(err, ctx.Err()):
		// The context cut the call short, whatever the SDK made of it.
		return fmt.Errorf("timer: %s of group %q: %w: %w", what, t.opts.Group, ctx.Err(), err)
	case unavailable(err):
		return fmt.Errorf("timer: %s of group %q: %w: %w", what, t.opts.Group, timer.ErrUnavailable, err)
	}
	return fmt.Errorf("timer: %s of group %q: %w", what, t.opts.Group, err)
}

// unavailable reports whether a call failed for a passing reason: throttling,
// a fault of the service or of the connection.
func unavailable(err error) bool {
	if retry.IsErrorRetryables(retry.DefaultRetryables).IsErrorRetryable(err) == aws.TrueTernary {
		return true
	}
	var api smithy.APIError
	return errors.As(err, &api) && api.ErrorFault() == smithy.FaultServer
}
