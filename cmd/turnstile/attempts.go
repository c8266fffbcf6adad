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

// mostTried is of how many activities attempts are shown that were not asked for by
// their events.
const mostTried = 20

func attemptsCommand() *command {
	return &command{
		name: "attempts", operands: "INSTANCE [EVENT]", least: 1, most: 2, also: []string{"retries", "tries"}, words: firstInstance(),
		short: "show the attempts of activities: error, time and worker of each",
		long: paragraph(
			"Shows the attempts of the activity that EVENT scheduled, or of every activity of the",
			fmt.Sprintf("execution that was tried again, failed or is open, at most %d. The worker is the request of", mostTried),
			"the Lambda invocation. The history keeps the last attempt of an activity, and the newest four",
			"that failed before it are kept for two weeks; an inline activity records all. FOR is the actor",
			"who asked for an attempt before it was due, or completed the activity. In a pipe, each attempt",
			"is a line: execution, event, activity, attempt, state, begin, end, worker, failure, actor."),
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
						return usagef("EVENT is %q, it must be the number of an event, from 1", operands[1])
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

// tried are the attempts of the activities of an execution of which there may be more than
// one, or that did not end well, and of how many more there are.
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
		return nil, 0, notThereError{fmt.Errorf("execution %d of instance %q is not among its newest %d: name the event of the activity", execution, instance, len(t.Executions))}
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		// Of an inline activity each further attempt is a row, which names the first.
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
		fmt.Fprintf(c.err, "no activity of %s was tried again, failed or is open\n", printable.Line(instance))
		return nil
	}
	views.Attempts(c.screen(c.out), c.now(), all)
	if more > 0 {
		fmt.Fprintf(c.err, "%s left out: name the event of one\n", plain.Plural(more, "activity is", "activities are"))
	}
	return nil
}
