package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/printable"
)

func fireCommand() *command {
	return &command{
		name: "fire", also: []string{"skip", "timer"}, operands: "INSTANCE EVENT", least: 2, most: 2, words: firstInstance(client.StatusRunning, client.StatusStuck, client.StatusSuspended),
		short: "fire a timer before it is due",
		long: paragraph(
			"EVENT is the number of the timer's event, or its label; describe and timeline show both. A",
			"sleep returns, a wait with a timeout runs out. The history says that the timer was fired early.",
			"The clock of the instance does not move."),
		examples: []string{"turnstile fire order-17 12 --dry-run", `turnstile fire order-17 12 --reason 'the customer has paid by phone'`},
		declare: func(c *cli, flags *flag.FlagSet) action {
			reason := flags.String("reason", "", "`TEXT` for the history")
			dryRun := flags.Bool("dry-run", false, "send nothing, and say when the timer is due")
			c.settings.declareActor(flags)
			return func(ctx context.Context, operands []string) error {
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				event, err := timerOf(ctx, cl, operands[0], operands[1])
				if err != nil {
					return err
				}
				of := fmt.Sprintf("timer %d of %s", event, printable.Line(operands[0]))
				if *dryRun {
					timer, err := cl.OpenTimer(ctx, operands[0], event)
					if err == nil {
						fmt.Fprintf(c.out, "dry run: %s would fire now; it is due %s\n", of, plain.Moment(timer.DueAt))
					}
					return err
				}
				if err := cl.FireTimer(ctx, operands[0], event, *reason); err != nil {
					return err
				}
				fmt.Fprintf(c.err, "sent: %s fires now\n", of)
				return nil
			}
		},
	}
}

func retryCommand() *command {
	return &command{
		name: "retry", also: []string{"retry-now", "retry-activity"}, operands: "INSTANCE EVENT", least: 2, most: 2, words: firstInstance(client.StatusRunning, client.StatusStuck, client.StatusSuspended),
		short: "retry an activity now that waits for its next attempt",
		long: paragraph(
			"EVENT is the number of the activity's event; describe and timeline show it. The next attempt",
			"begins now, and not again when it is due; one that is due within ten seconds begins by",
			"itself. A retry of an inline activity or of a child waits for a timer: use fire. For an",
			"instance that has failed, use redrive."),
		examples: []string{"turnstile retry order-17 5 --dry-run", "turnstile retry order-17 5"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			dryRun := flags.Bool("dry-run", false, "send nothing, and say when the next attempt is due")
			c.settings.declareActor(flags)
			return func(ctx context.Context, operands []string) error {
				event, err := eventNumber(operands[1])
				if err != nil {
					return err
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				next, err := cl.NextAttempt(ctx, operands[0], event)
				if err != nil {
					return err
				}
				what := fmt.Sprintf("attempt %d of activity %d of %s", next.Attempt, event, printable.Line(operands[0]))
				if *dryRun {
					fmt.Fprintf(c.out, "dry run: %s would begin now; it is due %s\n", what, plain.Moment(next.DueAt))
					return nil
				}
				if err := cl.RetryNow(ctx, operands[0], event); err != nil {
					return err
				}
				fmt.Fprintf(c.err, "sent: %s begins now\n", what)
				return nil
			}
		},
	}
}

// timerOf is the event of a timer that is named by the number of the event or by its label.
func timerOf(ctx context.Context, cl backend.Instances, instance, named string) (int64, error) {
	if n, err := eventNumber(named); err == nil {
		return n, nil
	}
	waiting, err := cl.Waiting(ctx, instance)
	if err != nil {
		return 0, err
	}
	var found, others []string
	var event int64
	for i := range waiting.Open {
		switch o := &waiting.Open[i]; {
		case o.Kind != history.TimerCreated:
		case o.Label == named:
			event = o.EventID
			found = append(found, strconv.FormatInt(o.EventID, 10))
		case o.Label != "":
			others = append(others, strconv.Quote(o.Label))
		}
	}
	switch {
	case len(found) == 1:
		return event, nil
	case len(found) > 1:
		return 0, usagef("%d open timers of %s have the label %q: give the number of the event, one of %s", len(found), printable.Line(instance), named, strings.Join(found, ", "))
	case len(others) > 0:
		return 0, usagef("%q is neither the number of an event nor the label of an open timer of %s; labels of its timers are %s", named, printable.Line(instance), strings.Join(others, ", "))
	}
	return 0, usagef("%q is neither the number of an event nor the label of an open timer of %s: describe and timeline show both", named, printable.Line(instance))
}

// eventNumber reads the number of an event.
func eventNumber(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 {
		return 0, usagef("%q is not the number of an event: give a number from 1, as describe or timeline show it", s)
	}
	return n, nil
}
