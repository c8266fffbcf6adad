package orchestrator

import (
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
)

func TestR15CodeThatBlocksOutsideDurableOperations(t *testing.T) {
	t.Parallel()
	blocked, release := make(chan struct{}), make(chan struct{})
	w := newWorld(t, func(w *world) { w.settings.Turn.BlockLimit = 3 * time.Second })
	w.orchestration("Blocked", func(*engine.Context, []byte) ([]byte, error) {
		close(blocked)
		theHeartOfTheMatter(release)
		return nil, nil
	})
	w.orchestration("Good", waits())
	w.start("bad", "Blocked", "1")
	w.start("good", "Good", "1")
	// Virtual time passes while the code blocks, until the watchdog has checked twice.
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		<-blocked
		for looks := 0; looks < 2; {
			select {
			case <-done:
				return
			default:
			}
			if w.clock.advanceWithin(3 * time.Second) {
				looks++
			} else {
				runtime.Gosched()
			}
		}
	}()
	w.step()
	close(done)
	<-stopped
	r := w.record("bad")
	if r.Status != store.StatusStuck || r.Problem.Kind != "blocked" || !strings.Contains(r.Problem.Stack, "theHeartOfTheMatter") {
		t.Errorf("record %+v, problem %+v", r, r.Problem)
	}
	close(release)
}

func theHeartOfTheMatter(release chan struct{}) { <-release }

// The machine's time may pass while the given clock stands still: code that waits in a test, or for
// a debugger, is not blocked.
func TestTheWatchdogUsesTheGivenClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(w *world) { w.settings.Turn.BlockLimit = 3 * time.Second })
		release := make(chan struct{})
		w.orchestration("Main", func(_ *engine.Context, in []byte) ([]byte, error) {
			<-release
			return in, nil
		})
		w.start("a", "Main", "1")
		time.AfterFunc(time.Hour, func() { close(release) }) // of the bubble's wall clock
		w.step()
		w.expectOutput("a", "1")
	})
}
