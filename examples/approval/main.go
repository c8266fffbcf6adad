// Command approval shows an approval by a person: reminders, escalation to the next person if the
// first does not answer, and a late answer that is rejected. It needs nothing but Go and ends by
// itself:
//
//	go run ./examples/approval            its story, in virtual time
//	go run ./examples/approval -console   slowly, with the console, until Ctrl-C
package main

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/story"
)

func main() { sample.Main() }

var sample = story.Sample{Name: "approval", Pace: 4 * time.Second, Tell: tell}

// tell lets Bea answer too late, because she is on holiday, so that Carl decides.
func tell(ctx context.Context, t *story.Teller) error {
	var desk *office
	s, err := t.New(func(s *story.Story) *turnstile.App {
		desk = newOffice(s.Say)
		return turnstile.NewApp(Approve.Implement(approve), desk.activities())
	})
	if err != nil {
		return err
	}
	request := Request{What: "a coffee machine", Amount: 4200, Approvers: []string{"Bea", "Carl"}, Reminders: 2}
	run, err := client.Start(ctx, s.Client(), Approve, request, client.WithInstanceID("request-17"))
	if err != nil {
		return err
	}
	s.At(3*day+2*day/24, func() error {
		return desk.answer(ctx, s.Client(), "Bea", Decision{Reason: "we have tea"})
	})
	s.At(4*day+8*day/24, func() error {
		return desk.answer(ctx, s.Client(), "Carl", Decision{Approved: true, Reason: "tea is not enough"})
	})
	return s.Until(ctx, func(ctx context.Context) error {
		result, err := run.Wait(ctx)
		if err == nil {
			s.Say("request-17 is %s by %s", result.Outcome, result.By)
		}
		return err
	})
}
