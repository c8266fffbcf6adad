package scheduler

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	// DefaultPastMargin is the default of Options.PastMargin.
	DefaultPastMargin = time.Minute

	// The limits of Scheduler's retry policy, which are its defaults.
	maxRetryAttempts = 185
	minEventAge      = time.Minute
	maxEventAge      = 24 * time.Hour
)

// Options of a Timer.
type Options struct {
	// Group is the schedule group, which has to exist. Required.
	Group string
	// TargetARN is the orchestrator queue. Required.
	TargetARN string
	// RoleARN is the role that Scheduler sends under, to the target and to the
	// dead-letter queue. Required.
	RoleARN string
	// DeadLetterARN is a standard queue that gets what could not be delivered,
	// in Scheduler's envelope. Required: a firing may not get lost.
	DeadLetterARN string
	// KMSKeyARN encrypts the schedules; default: a key that AWS owns.
	KMSKeyARN string
	// RetryAttempts and MaxEventAge bound Scheduler's own retries before the
	// dead-letter queue: at most 185 within 1 minute to 24 hours, which are
	// the defaults of Scheduler and of the zero values. NoRetry: none at all.
	RetryAttempts int
	NoRetry       bool
	MaxEventAge   time.Duration
	// PastMargin: a due time that is no further ahead than this and that
	// Scheduler calls invalid is taken as past by its clock. Further ahead it
	// is an error, never a firing. Default DefaultPastMargin.
	PastMargin time.Duration
	// Now is the clock; default time.Now.
	Now func() time.Time
}

func (o *Options) complete() error {
	if o.PastMargin == 0 {
		o.PastMargin = DefaultPastMargin
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	var errs []error
	if o.Group == "" {
		errs = append(errs, errors.New("timer: scheduler: Group is missing: the name of the schedule group"))
	}
	arn := func(field, value, service string, required bool) {
		if value == "" && !required {
			return
		}
		if !strings.HasPrefix(value, "arn:") || strings.Count(value, ":") < 5 || strings.Split(value, ":")[2] != service {
			errs = append(errs, fmt.Errorf("timer: scheduler: %s %q is not an ARN of %s", field, value, service))
		}
	}
	arn("TargetARN", o.TargetARN, "sqs", true)
	arn("RoleARN", o.RoleARN, "iam", true)
	arn("DeadLetterARN", o.DeadLetterARN, "sqs", true)
	arn("KMSKeyARN", o.KMSKeyARN, "kms", false)
	if strings.HasSuffix(o.DeadLetterARN, ".fifo") {
		errs = append(errs, fmt.Errorf("timer: scheduler: DeadLetterARN %q is a FIFO queue; Scheduler needs a standard one", o.DeadLetterARN))
	}
	if o.RetryAttempts < 0 || o.RetryAttempts > maxRetryAttempts || o.NoRetry && o.RetryAttempts != 0 {
		errs = append(errs, fmt.Errorf("timer: scheduler: RetryAttempts is %d: it must be from 1 to %d, and 0 with NoRetry", o.RetryAttempts, maxRetryAttempts))
	}
	if o.MaxEventAge != 0 && (o.MaxEventAge < minEventAge || o.MaxEventAge > maxEventAge) {
		errs = append(errs, fmt.Errorf("timer: scheduler: MaxEventAge is %s: it must be from %s to %s", o.MaxEventAge, minEventAge, maxEventAge))
	}
	if o.PastMargin < 0 {
		errs = append(errs, fmt.Errorf("timer: scheduler: PastMargin %s is negative", o.PastMargin))
	}
	return errors.Join(errs...)
}
