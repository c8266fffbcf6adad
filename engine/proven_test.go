package engine_test

import (
	"testing"

	"github.com/turnstile-go/turnstile/engine"
)

// The history of an early build may have a secret, which no longer proves anything.
func TestACompletionIsRecordedOnlyIfItIsProven(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(ctx *engine.Context, _ []byte) ([]byte, error) {
		return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "A"}))
	})
	begin := start("0")
	begin.Event.Start.Secret = "00112233445566778899aabbccddeeff"
	f.turn(begin)
	unproven := engine.Arrival{ExecutionID: 1, Event: completed(2, "1").Event}
	if v := f.cold().Judge(unproven); v.Kind != engine.Forged {
		t.Errorf("judged %v, want forged", v.Kind)
	}
	if v := f.cold().Judge(completed(2, "1")); v.Kind != engine.Recorded {
		t.Errorf("judged %v, want recorded", v.Kind)
	}
}
