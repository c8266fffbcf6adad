// Command subscription bills a customer for a year, in virtual time: one
// execution a month, dunning, a change of plan. It needs nothing but Go and
// ends by itself:
//
//	go run ./examples/subscription            its story, in virtual time
//	go run ./examples/subscription -console   slowly, with the console, until Ctrl-C
package main

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/story"
)

func main() { sample.Main() }

var sample = story.Sample{Name: "subscription", Pace: 1500 * time.Millisecond, Tell: tell}

// tell lets Ada's card be empty in March, and lets her change to the large plan in June.
func tell(ctx context.Context, t *story.Teller) error {
	s, err := t.New(func(s *story.Story) *turnstile.App {
		empty := func(b Bill) bool { return b.Month == 2 && s.Now().Before(s.Started().AddDate(0, 2, 5)) }
		return turnstile.NewApp(orchestrations(), shop{say: s.Slowly, declines: empty}.activities())
	})
	if err != nil {
		return err
	}
	ada := Subscription{Customer: "Ada", Plan: "small", Price: 1000, Months: 12}
	run, err := client.Start(ctx, s.Client(), Subscribe, ada, client.WithInstanceID("subscription-ada"))
	if err != nil {
		return err
	}
	s.At(160*24*time.Hour, func() error {
		s.Say("Ada wants the large plan")
		return client.Raise(ctx, s.Client(), Changed, run.Instance, Change{Plan: "large", Price: 3000}, client.WithDeduplicationID("change-1"))
	})
	return s.Until(ctx, func(ctx context.Context) error {
		summary, err := run.Wait(ctx)
		if err == nil {
			s.Say("it is %s after %d months and %d cents", summary.Ended, summary.Months, summary.Paid)
		}
		return err
	})
}
