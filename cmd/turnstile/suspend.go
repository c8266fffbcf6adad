package main

import (
	"context"
	"fmt"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/printable"
)

func suspendCommand() *command {
	return &command{
		name: "suspend", also: []string{"hold", "freeze"}, operands: "[INSTANCE…]", most: -1, words: instanceIDs(client.StatusRunning, client.StatusStuck),
		short: "stop the code of instances until they are resumed",
		long: paragraph(
			"A suspended instance records incoming messages, and its code processes them in order when",
			"you resume it. Activities that were scheduled go on, with their retries; timers fire and are",
			"recorded. Terminate ends it at once, a cancel takes effect at the resume. To stop a whole",
			"stack, use pause.",
			"",
			bulkHelp,
			"Without --status, suspend selects running and stuck instances."),
		examples: []string{
			`turnstile suspend order-17 --reason 'the customer asked us to wait'`,
			`turnstile suspend --name Transfer --where 'bank = "b-1"' --reason 'the bank is down' --dry-run`,
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			b := bulk{verb: "suspend", on: []client.Status{client.StatusRunning, client.StatusStuck},
				do: func(ctx context.Context, cl backend.Instances, j *batch.Job, instance string) error {
					return cl.Suspend(ctx, instance, j.Reason)
				}}
			b.declare(flags)
			flags.StringVar(&b.reason, "reason", "", "`TEXT` for the history, which describe shows")
			c.settings.declareActor(flags)
			return b.action(c)
		},
	}
}

func resumeCommand() *command {
	return &command{
		name: "resume", also: []string{"unsuspend", "release", "continue"}, operands: "[INSTANCE…]", most: -1, words: instanceIDs(client.StatusSuspended, client.StatusScheduled, client.StatusQueued),
		short: "let suspended instances continue",
		long: paragraph(
			"The code of the instance processes, in order, what came while it was suspended. One resume",
			"ends all earlier suspends. A scheduled instance begins at once. For a paused stack, use",
			"unpause.",
			"",
			bulkHelp,
			"Without --status, resume selects suspended instances."),
		examples: []string{
			"turnstile resume order-17",
			`turnstile resume --where 'bank = "b-1"' --rate 10 --dry-run`,
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			b := bulk{verb: "resume", on: []client.Status{client.StatusSuspended},
				do: func(ctx context.Context, cl backend.Instances, j *batch.Job, instance string) error {
					return cl.Resume(ctx, instance, j.Reason)
				}}
			b.declare(flags)
			flags.StringVar(&b.reason, "reason", "", "`TEXT` for the history")
			c.settings.declareActor(flags)
			run := b.action(c)
			return func(ctx context.Context, operands []string) error {
				if s := client.Status(b.status); s == client.StatusScheduled || s == client.StatusQueued {
					b.on = append(b.on, s)
				}
				return run(ctx, operands)
			}
		},
	}
}

func rescheduleCommand() *command {
	return &command{
		name: "reschedule", also: []string{"postpone", "move"}, operands: "INSTANCE", least: 1, most: 1, words: firstInstance(client.StatusScheduled, client.StatusSuspended),
		short: "move the time at which a scheduled instance begins",
		long: paragraph(
			"Also moves the time at which a suspended instance resumes by itself. To begin at once, use",
			"resume; to give the instance up, terminate."),
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
				if err := cl.Reschedule(ctx, operands[0], at); err != nil {
					return err
				}
				fmt.Fprintf(c.err, "sent: reschedule for %s, to %s\n", printable.Line(operands[0]), plain.Moment(at))
				return nil
			}
		},
	}
}

// later is when something is to begin.
type later struct {
	at    string
	after time.Duration
}

func (l *later) declare(flags *flag.FlagSet) {
	flags.StringVar(&l.at, "at", "", "begin at this `TIME`, such as 2027-01-31T09:00:00Z, or 2027-01-31 (UTC)")
	flags.DurationVar(&l.after, "after", 0, "begin after this `TIME`, such as 90m or 48h")
}

// time returns when that is; zero for at once.
func (l *later) time(now time.Time) (time.Time, error) {
	switch {
	case l.at != "" && l.after != 0:
		return time.Time{}, usagef("--at and --after: give one of them")
	case l.after < 0:
		return time.Time{}, usagef("--after %s: it cannot begin in the past", l.after)
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
	return time.Time{}, usagef("--at %q is not a time: 2027-01-31T09:00:00Z, or a date like 2027-01-31", l.at)
}
