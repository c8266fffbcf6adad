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
	// Group is the schedule group, which must exist. Required.
	Group string
	// TargetARN is the orchestrator queue. Required.
	TargetARN string
	// RoleARN is the role with which Scheduler sends to the target and to the
	// dead-letter queue. Required.
	RoleARN string
	// DeadLetterARN is a standard queue that receives messages that could not be
	// delivered, in Scheduler's envelope. Required, because no firing may be lost.
	DeadLetterARN string
	// KMSKeyARN encrypts the schedules; default: a key that AWS owns.
	KMSKeyARN string
	// RetryAttempts and MaxEventAge limit the retries of Scheduler before it sends to
	// the dead-letter queue: at most 185, within 1 minute to 24 hours. The default is
	// the maximum of both, as for Scheduler. NoRetry: no retries.
	RetryAttempts int
	NoRetry       bool
	MaxEventAge   time.Duration
	// PastMargin is how far ahead a due time may be for Schedule to return
	// timer.ErrPast if Scheduler calls it invalid, because Scheduler's clock may be
	// ahead. If the due time is later than that, Schedule returns another error.
	// Default DefaultPastMargin.
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
