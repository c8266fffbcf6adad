package main

import (
	"context"
	"fmt"
	"strconv"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// mostTried is the largest number of activities whose attempts are shown when no EVENT is given.
const mostTried = 20

func attemptsCommand() *command {
	return &command{
		name: "attempts", operands: "INSTANCE [EVENT]", least: 1, most: 2, also: []string{"retries", "tries"}, words: firstInstance(),
		short: "show the attempts of activities: error, time and worker of each",
		long: paragraph(
			"Shows the attempts of the activity that EVENT scheduled. Without EVENT, it shows the attempts of",
			fmt.Sprintf("every activity of the execution that was retried, failed or is pending, at most %d activities.", mostTried),
			"WORKER is the request id of the Lambda invocation. The history stores the last attempt of an",
			"activity; the four failed attempts before it are kept for two weeks. An inline activity records",
			"every attempt. FOR is the actor who requested an early attempt or completed the activity. In a",
			"pipe, each attempt is a line: execution, event, activity, attempt, state, start, end, worker,",
			"failure, actor."),
		examples: []string{
			"turnstile attempts order-17",
			"turnstile attempts order-17 3 --output json",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			execution := flags.Int64("execution", 0, "execution `N` of the instance; default the current one")
			return func(ctx context.Context, operands []string) error {
				if *execution < 0 {
					return usagef("--execution %d: executions are numbered from 1", *execution)
				}
				event := int64(0)
				if len(operands) > 1 {
					n, err := strconv.ParseInt(operands[1], 10, 64)
					if err != nil || n < 1 {
						return usagef("EVENT is %q: it must be the number of an event, from 1", operands[1])
					}
					event = n
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				var all []api.Attempts
				more := 0
				if event > 0 {
					one, err := cl.Attempts(ctx, operands[0], *execution, event)
					if err != nil {
						return err
					}
					all = []api.Attempts{one}
				} else if all, more, err = tried(ctx, cl, operands[0], *execution); err != nil {
					return err
				}
				return c.printAttempts(operands[0], all, more, event > 0)
			}
		},
	}
}

// tried returns the attempts of each activity of an execution that was retried, failed or is
// pending, up to mostTried activities. more is the number of activities that it left out.
func tried(ctx context.Context, cl backend.Instances, instance string, execution int64) (all []api.Attempts, more int, err error) {
	executions := 1
	if execution > 0 {
		executions = maxExecutions
	}
	t, err := cl.Timeline(ctx, instance, executions, "")
	if err != nil {
		return nil, 0, err
	}
	if execution == 0 {
		execution = t.Executions[len(t.Executions)-1].ExecutionID
	} else if first := t.Executions[0].ExecutionID; execution < first || execution > t.Executions[len(t.Executions)-1].ExecutionID {
		return nil, 0, notThereError{fmt.Errorf("execution %d of instance %q is not among the newest %d: give the number of the activity's event", execution, instance, len(t.Executions))}
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		// Each later attempt of an inline activity is a row of its own that names the first.
		if r.Kind != "activity" && r.Kind != "inline" || r.ExecutionID != execution || r.FirstEventID != 0 ||
			r.Attempt < 2 && r.Failure == nil && r.State != "open" {
			continue
		}
		if len(all) == mostTried {
			more++
			continue
		}
		one, err := cl.Attempts(ctx, instance, execution, r.EventID)
		if err != nil {
			return nil, 0, err
		}
		all = append(all, one)
	}
	return all, more, nil
}

func (c *cli) printAttempts(instance string, all []api.Attempts, more int, one bool) error {
	switch {
	case c.json() && one:
		return c.printJSON(all[0])
	case c.json():
		if all == nil {
			all = []api.Attempts{}
		}
		return c.printJSON(all)
	case len(all) == 0:
		fmt.Fprintf(c.err, "no activity of %s was retried, failed or is pending\n", printable.Line(instance))
		return nil
	}
	views.Attempts(c.screen(c.out), c.now(), all)
	if more > 0 {
		fmt.Fprintf(c.err, "%s left out: give EVENT to see a specific one\n", plain.Plural(more, "activity is", "activities are"))
	}
	return nil
}
