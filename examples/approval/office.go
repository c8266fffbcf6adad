package main

import (
	"context"
	"errors"
	"sync"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

// office is used by the activities; a real one sends mail, with a link that contains the token.
// This one keeps the tokens, and prints what it does.
type office struct {
	say func(format string, args ...any)

	mu     sync.Mutex
	tokens map[string]string // by person
}

func newOffice(say func(string, ...any)) *office {
	return &office{say: say, tokens: map[string]string{}}
}

func (o *office) activities() turnstile.Components {
	return turnstile.Components{Ask.Implement(o.ask), Remind.Implement(o.remind)}
}

// ask stores the token and returns. No process runs until the person answers.
func (o *office) ask(ctx context.Context, q Question) (Decision, error) {
	o.mu.Lock()
	o.tokens[q.Person] = turnstile.ActivityInfo(ctx).CompletionToken
	o.mu.Unlock()
	o.say("%s is asked: %d for %s?", q.Person, q.Amount, q.What)
	return Decision{}, turnstile.ErrPending
}

func (o *office) remind(_ context.Context, q Question) (turnstile.None, error) {
	o.say("%s is reminded, for the %d. time", q.Person, q.Reminder)
	return turnstile.None{}, nil
}

// answer does what the page of the link would do: it only needs the token.
func (o *office) answer(ctx context.Context, c *client.Client, person string, d Decision) error {
	o.mu.Lock()
	token := o.tokens[person]
	o.mu.Unlock()
	o.say("%s answers: approved %t, %q", person, d.Approved, d.Reason)
	err := client.Complete(ctx, c, Ask, token, d)
	if late, ok := errors.AsType[*client.NotPendingError](err); ok {
		o.say("%s is told that it is too late: %s", person, late.Problem)
		return nil
	}
	return err
}
