package views_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

func TestACauseIsALineWithBarsWhoseLargestHasFullHeight(t *testing.T) {
	t.Parallel()
	causes := []api.FailureCause{{Key: "1f3a90c2", Status: "failed", Instances: 151, Last: noon.Add(-90 * time.Minute), Bars: []int{0, 1, 50, 100}, Kind: "application", Source: "Charge", Message: "card\ndeclined"}}
	got := piped(func(s *term.Screen) { views.Causes(s, noon, causes) })
	if want := "1f3a90c2\tfailed\t151\t1h30m ago\t·▁▄█\tCharge: card declined\n"; got != want {
		t.Errorf("printed is %q, want %q", got, want)
	}
}
