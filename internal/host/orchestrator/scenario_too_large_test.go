package orchestrator

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
)

// L-04: the turn of the batch is too large, but not the turn of any single message in it. The
// instance does not fail because of the messages that SQS happened to batch.
func TestL04ABatchThatIsTooLargeIsHandledInParts(t *testing.T) {
	t.Parallel()
	big := `"` + strings.Repeat("x", 250<<10) + `"`
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		var work []*engine.Future
		for range 10 {
			data, err := ctx.Await(ctx.ExternalEvent("e"))
			if err != nil {
				return nil, err
			}
			work = append(work, ctx.Activity(engine.ActivityCall{Name: "Small", Input: data}))
		}
		_, err := ctx.Join(work...)
		return []byte(`"done"`), err
	})
	w.activityFunc("Small", func(context.Context, []byte) ([]byte, error) { return []byte("1"), nil })
	w.start("a", "Main", "1")
	w.settleFIFO()
	for i := range 10 {
		w.raise("a", "e", big, fmt.Sprint("e-", i))
	}
	w.run()
	w.expectOutput("a", `"done"`)
	w.expectQuiet()
	w.expectDead()
	w.expectInvariants("a")
	// The order stays the same, whatever the parts.
	n := 0
	for _, e := range w.events("a", 1) {
		if e.SenderID != "" {
			if want := fmt.Sprint("e-", n); e.SenderID != want {
				t.Errorf("event %d came from %s, want %s", e.EventID, e.SenderID, want)
			}
			n++
		}
	}
}
