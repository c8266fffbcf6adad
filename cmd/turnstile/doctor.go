package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
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
			"Checks access and permissions to read, versions, functions, event sources, queues, tables,",
			"settings that have to fit together, the clock, dead letters, and instances that are stuck,",
			"corrupt or idle. It changes nothing, and says what it may not look at. With `turnstile dev`",
			"it checks what exists there. The exit status is 1 if there is a problem. Needs the policies",
			"of the outputs WatchPolicyArn and DoctorPolicyArn."),
		examples: []string{"turnstile doctor --stack shop", "turnstile doctor --output json | jq '.findings[] | select(.level != \"ok\")'"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			idle := flags.Duration("idle", 7*24*time.Hour, "a running instance is idle if it has not changed for this `TIME`")
			return func(ctx context.Context, _ []string) error {
				if *idle <= 0 {
					return usagef("--idle %s: more than 0", *idle)
				}
				return c.doctor(ctx, *idle)
			}
		},
	}
}

// check looks at something.
type check struct {
	area string
	look func(ctx context.Context) ([]api.Finding, error)
}

// doctorPatience bounds each look.
const doctorPatience = 30 * time.Second

func (c *cli) doctor(ctx context.Context, idle time.Duration) error {
	backend := c.open(&c.settings)
	checks := append(backend.Checks(c.now), check{"instances", func(ctx context.Context) ([]api.Finding, error) {
		cl, err := backend.Instances(ctx)
		if err != nil {
			return nil, err
		}
		return doctor.Instances(ctx, cl, c.now(), idle)
	}})
	found := make([][]api.Finding, len(checks))
	var usage *usageError
	var once sync.Once
	var working sync.WaitGroup
	for i, look := range checks {
		working.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, doctorPatience)
			defer cancel()
			got, err := look.look(ctx)
			var wrong *usageError
			if errors.As(err, &wrong) {
				once.Do(func() { usage = wrong })
			}
			if err != nil {
				got = append(got, couldNot(look.area, err))
			}
			found[i] = got
		})
	}
	working.Wait()
	if usage != nil {
		return usage
	}
	report := api.Doctor{Now: c.now().UTC().Truncate(time.Millisecond), Place: c.settings.where()}
	for _, f := range slices.Concat(found...) {
		report.Findings = append(report.Findings, f)
		switch f.Level {
		case doctor.Problem:
			report.Problems++
		case doctor.Warning:
			report.Warnings++
		case doctor.Unknown:
			report.Unknown++
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if c.json() {
		if err := c.printJSON(report); err != nil {
			return err
		}
	} else {
		doctor.Print(c.screen(c.out), &report)
	}
	if report.Problems > 0 {
		return fmt.Errorf("%s", plain.Plural(report.Problems, "problem", "problems"))
	}
	return nil
}

// couldNot is the finding that something could not be looked at: a permission that
// is missing is unknown, all else a problem.
func couldNot(area string, err error) api.Finding {
	f := api.Finding{Area: area, Level: doctor.Problem, Text: plain.Message(err), Advice: hint(err)}
	if said := explained(err); said != nil {
		f.Text, f.Advice = said.Message, said.Advice
		if said.Code == api.CodeDenied {
			f.Level, f.Text = doctor.Unknown, "not looked at: "+said.Message
		}
	}
	return f
}
