package embedded

import (
	"context"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// consoleTokens makes the completion tokens of a runtime's activities.
type consoleTokens struct{ env *Runtime }

// CompletionToken implements console.TokenMaker. It uses the runtime's own key, so a console
// user with permission to act can complete an activity by hand without its token.
func (c consoleTokens) CompletionToken(ctx context.Context, instance string, executionID, eventID int64) (string, error) {
	if err := c.env.keys.Ready(ctx); err != nil {
		return "", err
	}
	turns, err := c.env.store.Read(ctx, instance, executionID, 1)
	if err != nil {
		return "", err
	}
	var atMS int64 // 0 if the history does not have the event: the client refuses it.
	for i := range turns {
		if t := &turns[i]; t.First() <= eventID && eventID <= t.Last() {
			atMS = t.Events[eventID-t.First()].AtMS
		}
	}
	return wire.ActivityToken{Instance: instance, ExecutionID: executionID, EventID: eventID, Token: c.env.keys.Token(instance, executionID, eventID, atMS)}.String(), nil
}
