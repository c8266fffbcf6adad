package demo

import (
	"testing"

	"github.com/turnstile-go/turnstile/client"
)

func TestTheShopHasWhatAStrangerIsAskedFor(t *testing.T) {
	t.Parallel()
	env, closeShop, err := OpenShop(1000)
	if err != nil {
		t.Fatal(err)
	}
	counts, _, err := env.Client().CountByStatus(t.Context(), client.ListQuery{}, 10_000)
	if err != nil || counts[client.StatusFailed] < 100 || counts[client.StatusRunning] < 30 || counts[client.StatusCompleted] < 1000 {
		t.Errorf("it has %v, %v", counts, err)
	}
	if err := closeShop(); err != nil {
		t.Error(err)
	}
}
