package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
)

// W-11: every pair of crashes, in an instance whose invocations each run only one execution and
// send a wake for the next. A redelivered message may run the execution of that wake, and die
// before its dispatch; then the wake makes the dispatch.
func TestAContinuingWakeDispatchesWhatARedeliveredMessageRanForIt(t *testing.T) {
	t.Parallel()
	for n := range 16 {
		mode := [4]bool{n&1 != 0, n&2 != 0, n&4 != 0, n&8 != 0}
		for i := 1; i < 12; i++ {
			for j := i + 1; j < 14; j++ {
				calls := 0
				w := newWorld(t, func(w *world) {
					w.settings.Turn.Executions = 1
					if mode[3] {
						w.maxReceive = 1
					}
					w.die = func() (dies, after bool) {
						switch calls++; calls {
						case i:
							return true, mode[0]
						case j:
							return true, mode[1]
						}
						return false, false
					}
				})
				w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
					if string(in) == "2" && mode[2] { // this execution waits for nothing
						return nil, ctx.ContinueAsNew("", []byte("3"), nil)
					}
					if _, err := ctx.Await(ctx.Timer(time.Second)); err != nil || string(in) != "1" {
						return []byte("3"), err
					}
					return nil, ctx.ContinueAsNew("", []byte("2"), nil)
				})
				w.start("a", "Main", "1")
				w.run()
				if w.expectOutput("a", "3"); t.Failed() {
					t.Fatalf("crashes at calls %d (after: %t) and %d (after: %t)", i, mode[0], j, mode[1])
				}
				w.expectQuiet()
			}
		}
	}
}
