package turnstile_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
)

func TestInfoSuggestsToContinueAsNew(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		n := 0
		for !turnstile.Info(ctx).ContinueAsNewSuggested {
			turnstile.UUID(ctx)
			if n++; n%1000 == 0 {
				if err := turnstile.Sleep(ctx, time.Second); err != nil {
					return err
				}
			}
		}
		if length := turnstile.Info(ctx).HistoryLength; length != 4096 {
			return differ("it was suggested at %d events", length)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
