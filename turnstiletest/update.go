package turnstiletest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

// Update sends an update to an instance and lets the application work, and virtual time pass, until the
// update is answered. It returns the output of the handler or the error of client.Update. An instance
// that was started but has no record yet is started first.
//
// The test fails if the update can never be answered, because the code has no handler for it or the
// handler waits for something that cannot come.
func Update[In, Out any](env *Env, u turnstile.Update[In, Out], instance string, in In, options ...client.UpdateOption) (Out, error) {
	env.t.Helper()
	var none Out
	h, err := client.StartUpdate(context.Background(), env.client, u, instance, in, options...)
	if errors.Is(err, client.ErrNotFound) {
		env.drive("Update", time.Time{}, func() bool {
			_, err := env.store.Describe(context.Background(), instance)
			return err == nil
		})
		h, err = client.StartUpdate(context.Background(), env.client, u, instance, in, options...)
	}
	if err != nil {
		return none, err
	}
	how := env.drive("Update", time.Time{}, func() bool {
		s, err := h.Status(context.Background())
		return err != nil || s.Stage.Answered()
	})
	if how != done {
		env.never("Update", instance, fmt.Sprintf("never answers update %q", u.Name()))
	}
	return h.Wait(context.Background())
}
