package main

import (
	"context"
	"fmt"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

func rescheduleCommand() *command {
	return &command{
		name: "reschedule", also: []string{"postpone", "move"}, operands: "INSTANCE", least: 1, most: 1, words: firstInstance(client.StatusScheduled, client.StatusSuspended),
		short: "change the start time of a scheduled instance",
		long: paragraph(
			"For a suspended instance, changes the time of its automatic resume. To start the instance now, use",
			"resume; to end it, use terminate."),
		examples: []string{"turnstile reschedule order-17 --at 2027-01-01T09:00:00Z", "turnstile reschedule order-17 --after 2h"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var when later
			when.declare(flags)
			c.settings.declareActor(flags)
			return func(ctx context.Context, operands []string) error {
				at, err := when.time(c.now())
				switch {
				case err != nil:
					return err
				case at.IsZero():
					return usagef("reschedule needs --at TIME or --after TIME")
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				sent, err := acts.Reschedule.Call(ctx, cl, operands[0], api.Reschedule{At: at})
				if err != nil {
					return err
				}
				return c.did(c.err, sent, fmt.Sprintf("sent: reschedule of %s to %s", printable.Line(operands[0]), plain.Moment(at)))
			}
		},
	}
}

// later holds the flags for a start time.
type later struct {
	at    string
	after time.Duration
}

func (l *later) declare(flags *flag.FlagSet) {
	flags.StringVar(&l.at, "at", "", "start at this `TIME`, such as 2027-01-31T09:00:00Z, or 2027-01-31 (UTC)")
	flags.DurationVar(&l.after, "after", 0, "start after this `TIME`, such as 90m or 48h")
}

// time returns the start time; zero for now.
func (l *later) time(now time.Time) (time.Time, error) {
	switch {
	case l.at != "" && l.after != 0:
		return time.Time{}, usagef("give --at or --after, not both")
	case l.after < 0:
		return time.Time{}, usagef("--after %s: must not be negative", l.after)
	case l.after > 0:
		return now.Add(l.after), nil
	case l.at == "":
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, l.at); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usagef("--at %q: must be a time like 2027-01-31T09:00:00Z or a date like 2027-01-31", l.at)
}
