package main

import (
	"context"
	"fmt"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/doctor"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

func doctorCommand() *command {
	return &command{
		name: "doctor", most: 0, also: []string{"check", "health", "status", "diagnose"},
		short: "check the whole stack, in one report",
		long: paragraph(
			"Checks read permissions, versions, functions, event sources, queues, tables, settings that",
			"depend on each other, the clock, dead letters, and stuck, corrupt and idle instances. It changes",
			"nothing, and lists what it has no permission to read. With `turnstile dev` it checks the parts",
			"that exist there. The exit status is 1 if it finds a problem. Requires the policies of the",
			"outputs WatchPolicyArn and DoctorPolicyArn."),
		examples: []string{"turnstile doctor --stack shop", "turnstile doctor --output json | jq '.findings[] | select(.level != \"ok\")'"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			idle := flags.Duration("idle", 7*24*time.Hour, "report a running instance as idle if it has not changed for this `TIME`")
			return func(ctx context.Context, _ []string) error {
				if *idle <= 0 {
					return usagef("--idle %s: must be more than 0", *idle)
				}
				return c.doctor(ctx, *idle)
			}
		},
	}
}

func (c *cli) doctor(ctx context.Context, idle time.Duration) error {
	on := c.backend()
	report, err := doctor.Examine(ctx, append(on.Checks(c.now, buildOf()), doctor.Check{Area: "instances", Look: func(ctx context.Context) ([]api.Finding, error) {
		cl, err := on.Instances(ctx)
		if err != nil {
			return nil, err
		}
		return doctor.Instances(ctx, cl, c.now(), idle)
	}}))
	if err != nil {
		return err
	}
	report.Now, report.Place = c.now().UTC().Truncate(time.Millisecond), c.settings.Where()
	if err := c.show(report, func() { doctor.Print(c.screen(c.out), &report) }); err != nil {
		return err
	}
	if report.Problems > 0 {
		return fmt.Errorf("%s", plain.Plural(report.Problems, "problem", "problems"))
	}
	return nil
}
