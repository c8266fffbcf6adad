package orchestrator

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// a message that leaves no fact does not take a stuck instance on. Its
// process dies at any call; the activity that the mended code asks for is done
// all the same.
func TestAMessageWithoutAFactNeverLosesTheRecoveryOfAStuckInstance(t *testing.T) {
	t.Parallel()
	forged := wire.Item{Kind: wire.ActivityCompleted, Instance: "main", ExecutionID: 1, SourceEventID: 2, Token: strings.Repeat("0", 32), Result: []byte("0")}
	repeated := wire.Item{Kind: wire.ExternalRaised, Instance: "main", Name: "go", Data: []byte("1"), ID: "e-0"}
	for name, item := range map[string]wire.Item{"forged": forged, "a repeat": repeated} {
		for k := range 8 {
			for _, after := range []bool{false, true} {
				w := newWorld(t, func(w *world) {
					w.orchestration("Main", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
					w.activityFunc("Step", step)
				})
				w.start("main", "Main", "1")
				w.raise("main", "go", "1", "e-0")
				for w.step() {
				}
				w.raise("main", "go", "1", "e-1")
				for w.step() {
				}
				w.deploy("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
					for range 2 {
						if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
							return nil, err
						}
					}
					return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
				})
				w.process().killAt, w.process().after = k, after
				w.sendStandard(item)
				w.run()
				w.expectOutput("main", "11")
				if t.Failed() {
					t.Fatalf("%s, killed at call %d, after it %t", name, k, after)
				}
			}
		}
	}
}
