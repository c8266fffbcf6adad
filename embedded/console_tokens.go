package embedded

import (
	"context"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// consoleTokens makes the completion tokens of a runtime's activities.
type consoleTokens struct{ env *Runtime }

// CompletionToken implements console.TokenMaker. It uses the runtime's own key, so a user of the
// console who may act can complete an activity by hand without knowing a token.
func (c consoleTokens) CompletionToken(ctx context.Context, instance string, executionID, eventID int64) (string, error) {
	if err := c.env.keys.Ready(ctx); err != nil {
		return "", err
	}
	turns, err := c.env.store.Read(ctx, instance, executionID, 1)
	if err != nil {
		return "", err
	}
	var atMS int64 // 0 for what the history does not have: the client refuses that.
	for i := range turns {
		if t := &turns[i]; t.First() <= eventID && eventID <= t.Last() {
			atMS = t.Events[eventID-t.First()].AtMS
		}
	}
	return wire.ActivityToken{Instance: instance, ExecutionID: executionID, EventID: eventID, Token: c.env.keys.Token(instance, executionID, eventID, atMS)}.String(), nil
}
