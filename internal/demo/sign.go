package demo

import (
	"context"

	"github.com/turnstile-go/turnstile"
)

// Sign waits for a signature, which is given by a token.
var Sign = turnstile.NewOrchestration[string, string]("Sign")

// Greet greets somebody.
var Greet = turnstile.NewOrchestration[string, string]("Greet")

var write = turnstile.NewActivity[string, string]("Write")

var askForSignature = turnstile.NewActivity[string, string]("AskForSignature")

// signing asks for signatures by asked, which may be nil: who is to sign, and the
// token by which that is done.
func signing(asked func(who, token string)) []turnstile.Part {
	return []turnstile.Part{
		Greet.Implement(func(ctx turnstile.Context, who string) (string, error) { return write.Call(ctx, who) }),
		write.Implement(func(_ context.Context, who string) (string, error) { return "Dear " + who, nil }),
		Sign.Implement(func(ctx turnstile.Context, who string) (string, error) { return askForSignature.Call(ctx, who) }),
		askForSignature.Implement(func(ctx context.Context, who string) (string, error) {
			if asked != nil {
				asked(who, turnstile.ActivityInfo(ctx).CompletionToken)
			}
			return "", turnstile.ErrPending
		}),
	}
}
