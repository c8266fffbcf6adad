package scheduler

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"

	"github.com/turnstile-go/turnstile/internal/timer"
)

// Precision of Scheduler: a schedule fires within a minute after its due time.
const Precision = time.Minute

// Client has the methods of *scheduler.Client that a Timer uses.
type Client interface {
	CreateSchedule(context.Context, *scheduler.CreateScheduleInput, ...func(*scheduler.Options)) (*scheduler.CreateScheduleOutput, error)
	DeleteSchedule(context.Context, *scheduler.DeleteScheduleInput, ...func(*scheduler.Options)) (*scheduler.DeleteScheduleOutput, error)
}

var _ Client = (*scheduler.Client)(nil)

// Timer is a timer on EventBridge Scheduler. It implements timer.Timer and is
// safe for concurrent use.
type Timer struct {
	client Client
	opts   Options
}

var _ timer.Timer = (*Timer)(nil)

// New returns a timer. The error names every missing or invalid option.
func New(client Client, opts Options) (*Timer, error) {
	if client == nil {
		return nil, errors.New("timer: scheduler: no client")
	}
	if err := opts.complete(); err != nil {
		return nil, err
	}
	return &Timer{client: client, opts: opts}, nil
}

// Schedule creates a schedule; see timer.Timer. The due time is rounded up to the
// second, the resolution of a schedule expression; Scheduler fires within a minute
// after it. A due time that has passed is refused with timer.ErrPast. An error that is
// not one of package timer's remains until the named problem is fixed.
//
// If the target is a standard queue, the group is left out.
func (t *Timer) Schedule(ctx context.Context, s timer.Schedule) error {
	if err := s.Validate(); err != nil {
		return err
	}
	body, err := literal(s)
	if err != nil {
		return err
	}
	due := ceil(s.Due)
	if now := t.opts.Now(); !due.After(now) {
		return fmt.Errorf("schedule %q, due %s, now %s: %w", s.Name, stamp(due), stamp(now), timer.ErrPast)
	}
	if _, err := t.client.CreateSchedule(ctx, t.input(s, due, body)); err != nil {
		return t.createFailed(ctx, s.Name, due, err)
	}
	return nil
}

// Cancel removes a schedule; see timer.Timer.
func (t *Timer) Cancel(ctx context.Context, name string) error {
	_, err := t.client.DeleteSchedule(ctx, &scheduler.DeleteScheduleInput{
		Name:      aws.String(name),
		GroupName: aws.String(t.opts.Group),
	})
	if err != nil {
		return t.deleteFailed(ctx, name, err)
	}
	return nil
}

func (t *Timer) input(s timer.Schedule, due time.Time, body string) *scheduler.CreateScheduleInput {
	in := &scheduler.CreateScheduleInput{
		Name:                       aws.String(s.Name),
		GroupName:                  aws.String(t.opts.Group),
		ScheduleExpression:         aws.String("at(" + due.Format("2006-01-02T15:04:05") + ")"),
		ScheduleExpressionTimezone: aws.String("UTC"),
		FlexibleTimeWindow:         &types.FlexibleTimeWindow{Mode: types.FlexibleTimeWindowModeOff},
		ActionAfterCompletion:      types.ActionAfterCompletionDelete,
		State:                      types.ScheduleStateEnabled,
		Target: &types.Target{
			Arn:              aws.String(t.opts.TargetARN),
			RoleArn:          aws.String(t.opts.RoleARN),
			Input:            aws.String(body),
			DeadLetterConfig: &types.DeadLetterConfig{Arn: aws.String(t.opts.DeadLetterARN)},
			RetryPolicy:      t.retryPolicy(),
		},
	}
	if s.Group != "" && strings.HasSuffix(t.opts.TargetARN, ".fifo") {
		in.Target.SqsParameters = &types.SqsParameters{MessageGroupId: aws.String(s.Group)}
	}
	if t.opts.KMSKeyARN != "" {
		in.KmsKeyArn = aws.String(t.opts.KMSKeyARN)
	}
	return in
}

// retryPolicy returns nil for Scheduler's defaults.
func (t *Timer) retryPolicy() *types.RetryPolicy {
	var p types.RetryPolicy
	if t.opts.NoRetry || t.opts.RetryAttempts > 0 {
		p.MaximumRetryAttempts = aws.Int32(int32(t.opts.RetryAttempts))
	}
	if t.opts.MaxEventAge > 0 {
		p.MaximumEventAgeInSeconds = aws.Int32(int32(t.opts.MaxEventAge / time.Second))
	}
	if p == (types.RetryPolicy{}) {
		return nil
	}
	return &p
}

// ceil rounds up to the second, in UTC: never early.
func ceil(t time.Time) time.Time {
	t = t.UTC()
	if whole := t.Truncate(time.Second); whole.Before(t) {
		return whole.Add(time.Second)
	}
	return t
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
