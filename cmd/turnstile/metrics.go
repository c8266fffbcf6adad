package main

import (
	"context"
	"fmt"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
)

func metricsCommand() *command {
	return &command{
		name: "metrics", most: 0, also: []string{"stats", "durations", "steps", "latency"},
		short: "show numbers, failures and durations of instances or of their steps",
		long: paragraph(
			"Without --name, shows how many instances of each orchestration started and failed, and how long",
			"they took. With --name, shows how long the activities, children, timers and waits of that",
			"orchestration took, from scheduling to completion, with failures and retries. The step with the",
			"largest total time comes first.",
			"",
			"It reads the newest 1,000 records in the period, and with --name the last executions of at most",
			"200 of these instances, evenly spread; on DynamoDB this costs about $0.0002. Operations that a",
			"redrive copied are not counted."),
		examples: []string{
			"turnstile metrics --since 24h",
			"turnstile metrics --name Fulfil --since 24h",
			"turnstile metrics --name Fulfil --output json | jq '.steps[] | {name, p99: .took.p99_ms}'",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var s selection
			flags.StringVar(&s.query.Name, "name", "", "show the steps of the orchestration `NAME`")
			flags.StringVar(&s.since, "since", "1h", "only instances started at this `TIME` or later: "+timeForms)
			flags.StringVar(&s.until, "until", "", "only instances started before this `TIME`")
			return func(ctx context.Context, _ []string) error {
				if err := s.check(c.now()); err != nil {
					return err
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				if s.query.Name != "" {
					found, err := cl.Steps(ctx, s.query)
					if err != nil {
						return err
					}
					if c.json() {
						return c.printJSON(found)
					}
					if found.Started == 0 {
						fmt.Fprintln(c.err, "no instance of this orchestration started in this period")
						return nil
					}
					views.Steps(c.screen(c.out), found.Steps)
					c.noteSteps(found.Histories, found.Started, found.Dollars, found.More)
					return nil
				}
				found, err := cl.Metrics(ctx, s.query)
				if err != nil {
					return err
				}
				if c.json() {
					return c.printJSON(found)
				}
				if found.Read == 0 {
					fmt.Fprintln(c.err, "no instance started in this period")
					return nil
				}
				views.Metrics(c.screen(c.out), found.Orchestrations)
				if found.More {
					fmt.Fprintf(c.err, "only the newest %d instances were read\n", found.Read)
				}
				return nil
			}
		},
	}
}

// noteSteps prints how many histories the durations come from, and the cost of reading them.
func (c *cli) noteSteps(histories, started int, dollars float64, more bool) {
	of := plain.Plural(started, "instance that started", "instances that started")
	if more {
		of = fmt.Sprintf("the newest %d instances that started", started)
	}
	cost := ""
	if dollars > 0 {
		cost = fmt.Sprintf("; reading them cost about $%.2g", dollars)
	}
	fmt.Fprintf(c.err, "from the last executions of %d of %s%s\n", histories, of, cost)
}
