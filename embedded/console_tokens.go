package embedded

import (
	"context"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// consoleTokens makes the completion tokens of a runtime's activities.
type consoleTokens struct{ env *Runtime }

// CompletionToken implements console.TokenMaker. The key is the runtime's own, so who
// reaches its console, and may act, needs no token to complete an activity by hand.
func (c consoleTokens) CompletionToken(ctx context.Context, instance string, executionID, eventID int64) (string, error) {
	if err := c.env.keys.Ready(ctx); err != nil {
		return "", err
	}
	return wire.ActivityToken{Instance: instance, ExecutionID: executionID, EventID: eventID, Token: c.env.keys.Token(instance, executionID, eventID)}.String(), nil
}
