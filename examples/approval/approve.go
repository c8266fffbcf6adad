package main

import (
	"errors"
	"time"

	"github.com/turnstile-go/turnstile"
)

// day is the time between two reminders.
const day = 24 * time.Hour

// approve asks one person after the other until one answers.
func approve(ctx turnstile.Context, r Request) (Result, error) {
	for _, person := range r.Approvers {
		// A status that is a string always encodes.
		_ = Status.Set(ctx, "waiting for "+person)
		decision, err := ask(ctx, r, person)
		switch {
		case errors.Is(err, errNoAnswer):
			continue
		case err != nil:
			return Result{}, err
		case decision.Approved:
			return Result{Outcome: "approved", By: person, Reason: decision.Reason}, nil
		}
		return Result{Outcome: "refused", By: person, Reason: decision.Reason}, nil
	}
	return Result{Outcome: "expired"}, nil
}

var errNoAnswer = errors.New("no answer")

// ask asks one person, and reminds them each day. A day after the last reminder the question is
// withdrawn: a later answer is rejected.
func ask(ctx turnstile.Context, r Request, person string) (Decision, error) {
	q := Question{Person: person, What: r.What, Amount: r.Amount}
	answer := Ask.Start(ctx, q)
	for {
		dayOver := turnstile.After(ctx, day)
		first, err := turnstile.SelectWithoutCancel(ctx, answer, dayOver)
		if err != nil {
			return Decision{}, err
		}
		if first == 0 {
			dayOver.Cancel("there is an answer")
			return answer.Await(ctx)
		}
		if q.Reminder == r.Reminders {
			answer.Cancel(person + " did not answer")
			return Decision{}, errNoAnswer
		}
		q.Reminder++
		if _, err := Remind.Call(ctx, q); err != nil {
			return Decision{}, err
		}
	}
}
