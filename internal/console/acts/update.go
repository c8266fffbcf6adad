package acts

import (
	"context"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Update sends an update.
var Update = &Act[api.Update, client.UpdateStatus]{Row{
	Path: ofInstance + "update", Title: "Send an update", Sends: "Send the update", Final: true,
	Summary: "Send an update to an instance, and wait for its answer for at most wait_seconds. A rejected or failed update is a stage of the response, not an error.",
	Does:    "The code of the instance accepts or rejects the update, handles it, and answers it exactly once.",
	Tool: Tool{Name: "send_update", Title: "Send an update", Adds: true,
		When: "It waits for the answer for up to 20 seconds. If the stage is then sent or accepted, repeat the call with the id of the answer as deduplication_id."},
}, func(ctx context.Context, on *On, in api.Update) (client.UpdateStatus, error) {
	if err := validWait(in.WaitSeconds); err != nil {
		return client.UpdateStatus{}, err
	}
	in.Instance = on.ID
	s, err := on.Client.StartUpdate(ctx, in.UpdateRequest)
	if err != nil || in.WaitSeconds == 0 {
		return s, err
	}
	return WaitUpdate(ctx, on.Client, s.Instance, s.ID, in.WaitSeconds)
}}

// MaxUpdateWait is how long a request of the API waits for the answer to an update at most, in seconds.
const MaxUpdateWait = 25

// WaitUpdate waits until an update is answered, or until the time is up, and returns its status.
func WaitUpdate(ctx context.Context, c *client.Client, instance, id string, seconds int) (client.UpdateStatus, error) {
	if err := validWait(seconds); err != nil {
		return client.UpdateStatus{}, err
	}
	if seconds > 0 {
		waiting, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second)
		defer cancel()
		s, err := c.WaitUpdate(waiting, instance, id, client.UpdateCompleted)
		var late *client.UpdateWaitError
		if !errors.As(err, &late) || ctx.Err() != nil {
			return s, err
		}
	}
	return c.UpdateStatus(ctx, instance, id)
}

func validWait(seconds int) error {
	if seconds < 0 || seconds > MaxUpdateWait {
		return api.Errorf(api.CodeInvalid, "wait_seconds is %d: it must be from 0 to %d", seconds, MaxUpdateWait)
	}
	return nil
}
