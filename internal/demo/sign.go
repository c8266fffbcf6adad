package demo

import (
	"context"

	"github.com/turnstile-go/turnstile"
)

// Sign waits for a signature, which is given with a token.
var Sign = turnstile.NewOrchestration[string, string]("Sign")

// Greet returns a greeting.
var Greet = turnstile.NewOrchestration[string, string]("Greet")

var write = turnstile.NewActivity[string, string]("Write")

var askForSignature = turnstile.NewActivity[string, string]("AskForSignature")

// signing requests signatures by calling asked, which may be nil, with the person who is to
// sign and the token for the signature.
func signing(asked func(who, token string)) []turnstile.Component {
	return []turnstile.Component{
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
