package engine_test

import (
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// Under -race this shows that none of the calls reads state that the engine changes,
// because the code and the engine keep running meanwhile.
func TestR25AGoroutineThatTheOrchestrationStartsGetsAnErrorAndDoesNoHarm(t *testing.T) {
	t.Parallel()
	calls := map[string]func(c *engine.Context, f *engine.Future, cancel func(string) error) error{
		"Activity and Await": func(c *engine.Context, _ *engine.Future, _ func(string) error) error {
			_, err := c.Await(c.Activity(engine.ActivityCall{Name: "A"}))
			return err
		},
		"Await": func(c *engine.Context, f *engine.Future, _ func(string) error) error {
			_, err := c.Await(f)
			return err
		},
		"Future.Cancel": func(_ *engine.Context, f *engine.Future, _ func(string) error) error { return f.Cancel("x") },
		"a scope's cancel": func(_ *engine.Context, _ *engine.Future, cancel func(string) error) error {
			return cancel("x")
		},
		"a scope of its own": func(c *engine.Context, _ *engine.Future, _ func(string) error) error {
			inner, cancel := c.WithCancel()
			_, err := inner.Await(inner.Timer(time.Hour))
			return errors.Join(err, cancel("x"))
		},
		"a timeout of its own": func(c *engine.Context, _ *engine.Future, _ func(string) error) error {
			_, cancel := c.WithTimeout(time.Second)
			return cancel("x")
		},
		"a shield of its own": func(c *engine.Context, _ *engine.Future, _ func(string) error) error {
			s := c.Shield()
			s.Release()
			_, err := s.Now()
			return err
		},
		"Err": func(c *engine.Context, _ *engine.Future, _ func(string) error) error { return c.Err() },
		"SetState": func(c *engine.Context, _ *engine.Future, _ func(string) error) error {
			return c.SetState(history.ListedState, []byte("1"))
		},
		"SetSearchAttributes": func(c *engine.Context, _ *engine.Future, _ func(string) error) error {
			if c.SearchAttributes() != nil {
				return errors.New("search attributes of another goroutine")
			}
			return c.SetSearchAttributes(history.SearchAttributes{"a": history.SearchTextOf("b")})
		},
		"Join": func(c *engine.Context, f *engine.Future, _ func(string) error) error { _, err := c.Join(f); return err },
		"Select": func(c *engine.Context, f *engine.Future, _ func(string) error) error {
			_, err := c.Select(false, f)
			return err
		},
		"Any": func(c *engine.Context, f *engine.Future, _ func(string) error) error {
			_, _, err := c.Any(f)
			return err
		},
		"AsCompleted": func(c *engine.Context, f *engine.Future, _ func(string) error) (err error) {
			for _, o := range c.AsCompleted(f) {
				err = o.Err
			}
			return err
		},
		"Go": func(c *engine.Context, _ *engine.Future, _ func(string) error) error {
			_, err := c.Await(c.Go(func(*engine.Context) ([]byte, error) { return nil, nil }))
			return err
		},
		"Detach": func(c *engine.Context, _ *engine.Future, _ func(string) error) error {
			_, err := c.Detach(engine.ChildCall{Name: "D"})
			return err
		},
		"Child": func(c *engine.Context, _ *engine.Future, _ func(string) error) error {
			_, err := c.Await(c.Child(engine.ChildCall{Name: "D"}))
			return err
		},
		"Inline": func(c *engine.Context, _ *engine.Future, _ func(string) error) error {
			_, err := c.Inline(engine.ActivityCall{Name: "I"})
			return err
		},
		"SideEffect": func(c *engine.Context, _ *engine.Future, _ func(string) error) error {
			_, err := c.SideEffect("s", func() ([]byte, error) { panic("it must not run") })
			return err
		},
		"Patched": func(c *engine.Context, _ *engine.Future, _ func(string) error) error {
			_, err := c.Patched("p")
			return err
		},
		"PatchRetired": func(c *engine.Context, _ *engine.Future, _ func(string) error) error { return c.PatchRetired("p") },
		"RaiseEvent": func(c *engine.Context, _ *engine.Future, _ func(string) error) error {
			return c.RaiseEvent("i", "e", nil, nil)
		},
		"a promise": func(c *engine.Context, _ *engine.Future, _ func(string) error) error {
			f, resolve := c.Promise()
			resolve()
			_, err := c.Await(f)
			return err
		},
		"calls that return no error": func(c *engine.Context, f *engine.Future, _ func(string) error) error {
			c.Logger().Error("dropped")
			if info := c.Info(); f.Ready() || info.Instance != "i" || info.Name != "Test" || info.HistoryLength != 0 {
				return errors.New("it knows more than another goroutine may")
			}
			_, err := c.GUID()
			return err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			errs, over := make(chan error, 1), make(chan struct{})
			f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
				scope, cancel := c.WithCancel()
				waits := scope.ExternalEvent("never")
				go func() {
					var err error
					for {
						if e := call(c, waits, cancel); !errors.Is(e, engine.ErrNotRunning) {
							err = e
							if err == nil {
								err = errors.New("no error")
							}
						}
						select {
						case <-over:
							errs <- err
							return
						default:
							runtime.Gosched()
						}
					}
				}()
				for range 50 {
					if _, err := c.Now(); err != nil {
						return nil, err
					}
					f := c.Go(func(c *engine.Context) ([]byte, error) { return nil, c.SetState(history.ListedState, []byte("1")) })
					if _, err := c.Await(f); err != nil {
						return nil, err
					}
					c.Logger().Info("mine")
				}
				if waits.Ready() {
					return nil, errors.New("it was cancelled from another goroutine")
				}
				return nil, nil
			})
			f.opts.LogHandler = slog.DiscardHandler
			turn := f.turn(start("0"))
			close(over)
			if err := <-errs; err != nil {
				t.Errorf("a call from another goroutine gave %v", err)
			}
			if turn.State != engine.Ended || turn.End().Kind != history.OrchestrationCompleted || len(f.events) != 53 {
				t.Fatalf("state %v, stuck %v, history:\n%s", turn.State, turn.Stuck, show(f.events))
			}
			f.recordedNothingElse()
		})
	}
}

// recordedNothingElse checks that no call of another goroutine is in the history.
func (f *fixture) recordedNothingElse() {
	f.t.Helper()
	for _, e := range f.events {
		if e.Kind == history.ActivityScheduled || e.Kind == history.TimerCreated || e.Kind == history.OrchestrationChained {
			f.t.Errorf("recorded from another goroutine: %s", show(f.events))
		}
	}
}

func TestR25TheErrorNamesThePlace(t *testing.T) {
	t.Parallel()
	var got error
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		done := make(chan struct{})
		w := c.ExternalEvent("never")
		go func() { defer close(done); got = w.Cancel("x") }()
		<-done
		return nil, nil
	})
	f.turn(start("0"))
	if !errors.Is(got, engine.ErrNotRunning) || !strings.Contains(got.Error(), "Cancel at ") || !strings.Contains(got.Error(), "goroutine_test.go:") {
		t.Errorf("the error is %v", got)
	}
}

// The identity of a goroutine is the same wherever it is read, even on a stack that has
// moved.
func TestEachGoroutineHasItsOwnIdentity(t *testing.T) {
	t.Parallel()
	var deep func(c *engine.Context, n int) error
	deep = func(c *engine.Context, n int) error {
		var room [512]byte
		room[n%512] = 1
		if n == 0 {
			_, err := c.Now()
			return err
		}
		if err := deep(c, n-1); err != nil || room[n%512] != 1 {
			return err
		}
		return nil
	}
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		for i := range 10 {
			if err := deep(c, i*200); err != nil {
				return nil, err
			}
			runtime.GC()
		}
		return nil, nil
	})
	if turn := f.turn(start("0")); turn.State != engine.Ended || turn.End().Failure != nil {
		t.Fatalf("state %v, stuck %v, history %s", turn.State, turn.Stuck, show(f.events))
	}
}
