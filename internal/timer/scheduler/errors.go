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

// createFailed converts an error of CreateSchedule to the error of Schedule: nil if the
// schedule already exists.
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
		// Scheduler refuses times in the past with the same error as any other invalid
		// argument. The error counts as ErrPast only for a due time so near that the
		// clocks may disagree about it.
		now := t.opts.Now()
		if due.Sub(now) <= t.opts.PastMargin {
			return wrap("now %s: %w: %w", stamp(now), timer.ErrPast, err)
		}
		return wrap("EventBridge Scheduler refuses it although it is due in %s; check that it may assume the role %s, and target and dead-letter queue: %w", due.Sub(now).Round(time.Second), t.opts.RoleARN, err)
	case errors.As(err, &quota):
		// Schedules that fire make room, and nothing is lost until then.
		return wrap("the account's quota of schedules is used up; have it raised: %w: %w", timer.ErrUnavailable, err)
	}
	return t.failed(ctx, fmt.Sprintf("create schedule %q", name), err)
}

// deleteFailed does the same for DeleteSchedule and Cancel.
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
		// Another request is changing the schedule.
		return fmt.Errorf("timer: %s of group %q: %w: %w", what, t.opts.Group, timer.ErrUnavailable, err)
	}
	return t.failed(ctx, what, err)
}

func (t *Timer) failed(ctx context.Context, what string, err error) error {
	switch {
	case ctx.Err() != nil && !errors.Is(err, ctx.Err()):
		// The call was interrupted by its context, whatever error the SDK returned.
		return fmt.Errorf("timer: %s of group %q: %w: %w", what, t.opts.Group, ctx.Err(), err)
	case unavailable(err):
		return fmt.Errorf("timer: %s of group %q: %w: %w", what, t.opts.Group, timer.ErrUnavailable, err)
	}
	return fmt.Errorf("timer: %s of group %q: %w", what, t.opts.Group, err)
}

// unavailable reports whether a call failed for a temporary reason: throttling, or a
// fault of the service or of the connection.
func unavailable(err error) bool {
	if retry.IsErrorRetryables(retry.DefaultRetryables).IsErrorRetryable(err) == aws.TrueTernary {
		return true
	}
	var api smithy.APIError
	return errors.As(err, &api) && api.ErrorFault() == smithy.FaultServer
}
