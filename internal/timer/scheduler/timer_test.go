package scheduler_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsscheduler "github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"
	"github.com/aws/smithy-go"
	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/timer/scheduler"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var now = time.Date(2026, 3, 29, 0, 59, 58, 500_000_000, time.UTC)

// fake answers as the test says and keeps what it was asked.
type fake struct {
	created []*awsscheduler.CreateScheduleInput
	deleted []*awsscheduler.DeleteScheduleInput
	err     error
}

func (f *fake) CreateSchedule(_ context.Context, in *awsscheduler.CreateScheduleInput, _ ...func(*awsscheduler.Options)) (*awsscheduler.CreateScheduleOutput, error) {
	f.created = append(f.created, in)
	return &awsscheduler.CreateScheduleOutput{}, f.err
}

func (f *fake) DeleteSchedule(_ context.Context, in *awsscheduler.DeleteScheduleInput, _ ...func(*awsscheduler.Options)) (*awsscheduler.DeleteScheduleOutput, error) {
	f.deleted = append(f.deleted, in)
	return &awsscheduler.DeleteScheduleOutput{}, f.err
}

func options() scheduler.Options {
	return scheduler.Options{
		Group:         "turnstile",
		TargetARN:     "arn:aws:sqs:eu-central-1:123456789012:orchestrator.fifo",
		RoleARN:       "arn:aws:iam::123456789012:role/scheduler",
		DeadLetterARN: "arn:aws:sqs:eu-central-1:123456789012:delay",
		Now:           func() time.Time { return now },
	}
}

func open(t *testing.T, client scheduler.Client, change ...func(*scheduler.Options)) *scheduler.Timer {
	t.Helper()
	opts := options()
	for _, c := range change {
		c(&opts)
	}
	tm, err := scheduler.New(client, opts)
	if err != nil {
		t.Fatal(err)
	}
	return tm
}

func due(in time.Duration) timer.Schedule {
	return timer.Schedule{Name: "name", Due: now.Add(in), Body: `{"v":1}`, Group: "order-1"}
}

func TestOptionsThatCannotBeAreNamedAllAtOnce(t *testing.T) {
	t.Parallel()
	_, err := scheduler.New(&fake{}, scheduler.Options{
		TargetARN:     "https://sqs.eu-central-1.amazonaws.com/123456789012/orchestrator.fifo",
		DeadLetterARN: "arn:aws:sqs:eu-central-1:123456789012:dead.fifo",
		KMSKeyARN:     "alias/key",
		RetryAttempts: 186,
		MaxEventAge:   time.Second,
		PastMargin:    -1,
	})
	for _, want := range []string{"Group", "TargetARN", "RoleARN", "DeadLetterARN", "standard", "KMSKeyARN", "RetryAttempts is 186", "MaxEventAge is 1s", "PastMargin"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
	if _, err := scheduler.New(nil, options()); err == nil {
		t.Error("no error without a client")
	}
}

func TestTheContentOfASchedule(t *testing.T) {
	t.Parallel()
	plain := func() *awsscheduler.CreateScheduleInput {
		return &awsscheduler.CreateScheduleInput{
			Name:                       aws.String("name"),
			GroupName:                  aws.String("turnstile"),
			ScheduleExpression:         aws.String("at(2026-03-29T01:59:59)"),
			ScheduleExpressionTimezone: aws.String("UTC"),
			FlexibleTimeWindow:         &types.FlexibleTimeWindow{Mode: types.FlexibleTimeWindowModeOff},
			ActionAfterCompletion:      types.ActionAfterCompletionDelete,
			State:                      types.ScheduleStateEnabled,
			Target: &types.Target{
				Arn:              aws.String("arn:aws:sqs:eu-central-1:123456789012:orchestrator.fifo"),
				RoleArn:          aws.String("arn:aws:iam::123456789012:role/scheduler"),
				Input:            aws.String(`{"v":1}`),
				DeadLetterConfig: &types.DeadLetterConfig{Arn: aws.String("arn:aws:sqs:eu-central-1:123456789012:delay")},
				SqsParameters:    &types.SqsParameters{MessageGroupId: aws.String("order-1")},
			},
		}
	}
	for _, c := range []struct {
		name   string
		change func(*scheduler.Options)
		want   func(*awsscheduler.CreateScheduleInput)
	}{
		{"by default", func(*scheduler.Options) {}, func(*awsscheduler.CreateScheduleInput) {}},
		{"a key encrypts it", func(o *scheduler.Options) { o.KMSKeyARN = "arn:aws:kms:eu-central-1:123456789012:key/1" },
			func(in *awsscheduler.CreateScheduleInput) {
				in.KmsKeyArn = aws.String("arn:aws:kms:eu-central-1:123456789012:key/1")
			}},
		{"retries are bounded", func(o *scheduler.Options) { o.RetryAttempts, o.MaxEventAge = 5, time.Hour },
			func(in *awsscheduler.CreateScheduleInput) {
				in.Target.RetryPolicy = &types.RetryPolicy{MaximumRetryAttempts: aws.Int32(5), MaximumEventAgeInSeconds: aws.Int32(3600)}
			}},
		{"no retries are zero retries", func(o *scheduler.Options) { o.NoRetry = true },
			func(in *awsscheduler.CreateScheduleInput) {
				in.Target.RetryPolicy = &types.RetryPolicy{MaximumRetryAttempts: aws.Int32(0)}
			}},
		{"a standard target has no group", func(o *scheduler.Options) { o.TargetARN = "arn:aws:sqs:eu-central-1:123456789012:delay" },
			func(in *awsscheduler.CreateScheduleInput) {
				in.Target.Arn, in.Target.SqsParameters = aws.String("arn:aws:sqs:eu-central-1:123456789012:delay"), nil
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{}
			if err := open(t, f, c.change).Schedule(t.Context(), due(time.Hour)); err != nil {
				t.Fatal(err)
			}
			want := plain()
			c.want(want)
			if !reflect.DeepEqual(f.created[0], want) {
				got, _ := json.MarshalIndent(f.created[0], "", "  ")
				t.Errorf("created %s", got)
			}
		})
	}
}

func TestDueTimesAreRoundedUpToSecondsInUTC(t *testing.T) {
	t.Parallel()
	berlin := time.FixedZone("CET", 3600)
	for _, c := range []struct {
		name string
		due  time.Time
		want string
	}{
		{"a whole second stays", time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), "at(2027-01-01T00:00:00)"},
		{"a nanosecond more is the next", time.Date(2027, 1, 1, 0, 0, 0, 1, time.UTC), "at(2027-01-01T00:00:01)"},
		{"another zone is converted", time.Date(2027, 1, 1, 0, 30, 0, 0, berlin), "at(2026-12-31T23:30:00)"},
		{"the year rolls over", time.Date(2026, 12, 31, 23, 59, 59, 1, time.UTC), "at(2027-01-01T00:00:00)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{}
			if err := open(t, f).Schedule(t.Context(), timer.Schedule{Name: "n", Due: c.due, Body: "x"}); err != nil {
				t.Fatal(err)
			}
			if got := aws.ToString(f.created[0].ScheduleExpression); got != c.want {
				t.Errorf("expression %q, want %q", got, c.want)
			}
		})
	}
}

func TestT06ADueTimeInThePastIsErrPastWithoutACall(t *testing.T) {
	t.Parallel()
	f := &fake{}
	tm := open(t, f)
	for _, in := range []time.Duration{-time.Hour, -500 * time.Millisecond, -time.Nanosecond} {
		err := tm.Schedule(t.Context(), due(in))
		// What is rounded up into the future is not past.
		if past := in <= -500*time.Millisecond; errors.Is(err, timer.ErrPast) != past {
			t.Errorf("due in %s: %v; past: want %t", in, err, past)
		}
	}
	if len(f.created) != 1 {
		t.Errorf("%d schedules were created, want 1", len(f.created))
	}
}

func TestWhatAnErrorOfScheduleMeans(t *testing.T) {
	t.Parallel()
	refused := &types.ValidationException{Message: aws.String("Invalid Schedule Expression")}
	for _, c := range []struct {
		name string
		in   time.Duration
		err  error
		want error // timer's error; nil with says: another one, without: success
		says string
	}{
		{"T-04 a schedule that exists is success", time.Hour, &types.ConflictException{}, nil, ""},
		{"T-06 refused when nearly due is past by Scheduler's clock", 30 * time.Second, refused, timer.ErrPast, "name"},
		{"T-06 refused although well ahead is an error, not a firing", time.Hour, refused, nil, "refuses it although it is due in 1h0m"},
		{"a group that is not there is an error that names it", time.Hour, &types.ResourceNotFoundException{}, nil, `group "turnstile"`},
		{"a quota used up may pass", time.Hour, &types.ServiceQuotaExceededException{}, timer.ErrUnavailable, "quota"},
		{"throttled is unavailable", time.Hour, &types.ThrottlingException{}, timer.ErrUnavailable, "name"},
		{"throttled when nearly due is unavailable too", time.Second, &types.ThrottlingException{}, timer.ErrUnavailable, "name"},
		{"a fault of the service is unavailable", time.Hour, &types.InternalServerException{}, timer.ErrUnavailable, "name"},
		{"no permission is an error", time.Hour, &smithy.GenericAPIError{Code: "AccessDeniedException", Message: "no"}, nil, "AccessDenied"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := open(t, &fake{err: c.err}).Schedule(t.Context(), due(c.in))
			check(t, err, c.want, c.says)
			if c.says != "" && !errors.Is(err, c.err) {
				t.Errorf("%v does not wrap the cause", err)
			}
		})
	}
}

func TestWhatAnErrorOfCancelMeans(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		err  error
		want error
		says string
	}{
		{"T-07 a schedule that is not there is success", &types.ResourceNotFoundException{}, nil, ""},
		{"one that is being changed is unavailable", &types.ConflictException{}, timer.ErrUnavailable, "name"},
		{"throttled is unavailable", &types.ThrottlingException{}, timer.ErrUnavailable, "name"},
		{"a fault of the service is unavailable", &types.InternalServerException{}, timer.ErrUnavailable, "name"},
		{"an invalid name is an error", &types.ValidationException{}, nil, "name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{err: c.err}
			check(t, open(t, f).Cancel(t.Context(), "name"), c.want, c.says)
			if in := f.deleted[0]; aws.ToString(in.Name) != "name" || aws.ToString(in.GroupName) != "turnstile" {
				t.Errorf("deleted %q of group %q", aws.ToString(in.Name), aws.ToString(in.GroupName))
			}
		})
	}
}

// check: no error if says is empty; else one that says it, and that is want
// and no other error of timer's.
func check(t *testing.T, err, want error, says string) {
	t.Helper()
	if says == "" {
		if err != nil {
			t.Errorf("error %v, want success", err)
		}
		return
	}
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("error %v does not say %q", err, says)
	}
	for _, e := range []error{timer.ErrPast, timer.ErrUnavailable} {
		if errors.Is(err, e) != (e == want) {
			t.Errorf("error %v, want %v", err, want)
		}
	}
}

func TestTheMarginOfThePastIsASetting(t *testing.T) {
	t.Parallel()
	f := &fake{err: &types.ValidationException{}}
	tm := open(t, f, func(o *scheduler.Options) { o.PastMargin = 10 * time.Minute })
	if err := tm.Schedule(t.Context(), due(9*time.Minute)); !errors.Is(err, timer.ErrPast) {
		t.Errorf("within the margin: %v, want ErrPast", err)
	}
	if err := tm.Schedule(t.Context(), due(11*time.Minute)); err == nil || errors.Is(err, timer.ErrPast) {
		t.Errorf("outside the margin: %v, want an error other than ErrPast", err)
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tm := open(t, &fake{err: &types.InternalServerException{}})
	for call, err := range map[string]error{"Schedule": tm.Schedule(ctx, due(time.Hour)), "Cancel": tm.Cancel(ctx, "name")} {
		if !errors.Is(err, context.Canceled) || errors.Is(err, timer.ErrUnavailable) {
			t.Errorf("%s: %v, want context.Canceled alone", call, err)
		}
	}
}

func TestABodyIsDeliveredLiterally(t *testing.T) {
	t.Parallel()
	t.Run("a keyword of Scheduler in JSON is escaped", func(t *testing.T) {
		t.Parallel()
		f := &fake{}
		s := due(time.Hour)
		s.Body = `{"instance":"\\<aws.scheduler.execution-id> <b>","v":1}`
		if err := open(t, f).Schedule(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		got := aws.ToString(f.created[0].Target.Input)
		if strings.Contains(got, "<aws.scheduler.") {
			t.Errorf("Scheduler would replace the keyword in %s", got)
		}
		var a, b map[string]any
		if json.Unmarshal([]byte(got), &a) != nil || json.Unmarshal([]byte(s.Body), &b) != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("sent %s, which does not mean %s", got, s.Body)
		}
	})
	t.Run("elsewhere it is refused", func(t *testing.T) {
		t.Parallel()
		f := &fake{}
		s := due(time.Hour)
		s.Body = "<aws.scheduler.execution-id>"
		var invalid *timer.InvalidScheduleError
		if err := open(t, f).Schedule(t.Context(), s); !errors.As(err, &invalid) || invalid.Field != "body" || len(f.created) > 0 {
			t.Errorf("Schedule: %v after %d calls, want an InvalidScheduleError for the body", err, len(f.created))
		}
	})
}
