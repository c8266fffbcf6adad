package demo

import (
	"context"
	"sync"

	"github.com/turnstile-go/turnstile"
)

// Sign waits for a signature, which is given by a token.
var Sign = turnstile.NewOrchestration[string, string]("Sign")

// Greet greets somebody.
var Greet = turnstile.NewOrchestration[string, string]("Greet")

var write = turnstile.NewActivity[string, string]("Write")

var askForSignature = turnstile.NewActivity[string, string]("AskForSignature")

// tokens are those that were handed out, by who asked.
var tokens sync.Map

// Tokens returns where the token comes that AskForSignature hands out for a name.
func Tokens(of string) <-chan string {
	c, _ := tokens.LoadOrStore(of, make(chan string, 1))
	return c.(chan string)
}

func signing() []turnstile.Part {
	return []turnstile.Part{
		Greet.Is(func(ctx turnstile.Context, who string) (string, error) { return write.Call(ctx, who) }),
		write.Is(func(_ context.Context, who string) (string, error) { return "Dear " + who, nil }),
		Sign.Is(func(ctx turnstile.Context, who string) (string, error) { return askForSignature.Call(ctx, who) }),
		askForSignature.Is(func(ctx context.Context, who string) (string, error) {
			if c, ok := tokens.Load(who); ok {
				c.(chan string) <- turnstile.ActivityInfo(ctx).CompletionToken
			}
			return "", turnstile.ErrPending
		}),
	}
}
