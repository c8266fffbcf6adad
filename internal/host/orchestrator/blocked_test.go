package orchestrator

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
)

// whileBlocked runs f. Each time code is blocked meanwhile, it lets virtual time pass until the
// watchdog has checked that code twice.
func (w *world) whileBlocked(blocked <-chan struct{}, f func()) {
	done := make(chan struct{})
	var over sync.WaitGroup
	over.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-blocked:
			}
			for looks := 0; looks < 2; {
				select {
				case <-done:
					return
				default:
				}
				if w.clock.advanceWithin(w.settings.Turn.BlockLimit) {
					looks++
				} else {
					runtime.Gosched()
				}
			}
		}
	})
	f()
	close(done)
	over.Wait()
}

// However many turns there are, at most one goroutine remains in the code of an instance, and the
// log names the instance.
func TestR15ABlockedDeferredFunctionLeavesOneGoroutineAndIsLogged(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]func(wait func()) engine.Func{
		"while the instance is put away": func(wait func()) engine.Func {
			return func(ctx *engine.Context, in []byte) ([]byte, error) {
				defer theDeferredOne(wait)
				return waits("e", "e", "e", "e")(ctx, in)
			}
		},
		"in the turn": func(wait func()) engine.Func {
			return func(ctx *engine.Context, in []byte) ([]byte, error) {
				if _, err := ctx.Await(ctx.ExternalEvent("e")); err != nil {
					return nil, err
				}
				theDeferredOne(wait)
				return waits("e", "e", "e")(ctx, in)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			blocked, release := make(chan struct{}, 100), make(chan struct{})
			var left, entered atomic.Int32
			w := newWorld(t, func(w *world) { w.settings.Turn.BlockLimit, w.settings.Cache.Instances = 3*time.Second, -1 })
			w.orchestration("Main", code(func() {
				select {
				case <-release:
					return
				default:
				}
				entered.Add(1)
				left.Add(1)
				blocked <- struct{}{}
				<-release
				left.Add(-1)
			}))
			w.whileBlocked(blocked, func() {
				w.start("a", "Main", "1")
				w.settleFIFO()
				for i, id := range []string{"1", "2", "3"} {
					w.raise("a", "e", id, "e-"+id)
					w.settleFIFO()
					w.expectStatus("a", store.StatusStuck)
					if n := left.Load(); n != 1 {
						t.Errorf("behind event %d %d goroutines are left, %d were", i+1, n, entered.Load())
					}
				}
				// So do its wakes: they come with growing delays, and none is lost.
				for range 5 {
					due, ok := w.nextMark()
					if !ok {
						t.Fatal("no mark is left")
					}
					w.advance(due)
					for w.step() {
					}
				}
			})
			r := w.record("a")
			if r.Problem == nil || r.Problem.Kind != "blocked" || !strings.Contains(r.Problem.Stack, "theDeferredOne") || r.Problem.Tries < 5 {
				t.Fatalf("problem %+v", r.Problem)
			}
			if n := entered.Load(); n != 1 {
				t.Errorf("the code was run %d times until it blocked", n)
			}
			w.observer.mu.Lock()
			n := w.observer.counts["stuck unwinding"]
			w.observer.mu.Unlock()
			want := 0
			if strings.HasPrefix(name, "while") {
				want = 1
			}
			if n != want {
				t.Errorf("%d deferred functions were counted, want %d", n, want)
			}
			// When the blocked goroutine has ended, the instance continues in this process too.
			close(release)
			for left.Load() > 0 {
				runtime.Gosched()
			}
			w.raise("a", "e", "4", "e-4")
			w.run()
			w.expectStatus("a", store.StatusCompleted)
			w.expectQuiet()
		})
	}
}

func theDeferredOne(wait func()) { wait() }
