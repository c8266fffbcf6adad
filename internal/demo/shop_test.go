package demo

import (
	"context"
	"testing"

	"github.com/turnstile-go/turnstile/client"
)

func TestTheShopHasWhatAStrangerIsAskedFor(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	env, ended, err := OpenShop(ctx, 1000)
	if err != nil {
		t.Fatal(err)
	}
	counts, _, err := env.Client().CountByStatus(ctx, client.ListQuery{}, 10_000)
	if err != nil || counts[client.StatusFailed] < 100 || counts[client.StatusRunning] < 30 || counts[client.StatusCompleted] < 1000 {
		t.Errorf("it has %v, %v", counts, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
