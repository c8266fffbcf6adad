package querying_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/querying"
	"github.com/turnstile-go/turnstile/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errNoIdea = errors.New("no idea")

// steps answers the query "done" with the number of its activities that are completed, and does in the
// queries of other names what a handler must not do.
func steps(names ...string) engine.Func {
	return func(ctx *engine.Context, in []byte) ([]byte, error) {
		done := 0
		handlers := map[string]func([]byte) ([]byte, error){
			"done":   func([]byte) ([]byte, error) { return []byte{'0' + byte(done)}, nil },
			"start":  func([]byte) ([]byte, error) { ctx.Timer(time.Hour); return []byte("1"), nil },
			"panic":  func([]byte) ([]byte, error) { panic("kaboom") },
			"goexit": func([]byte) ([]byte, error) { runtime.Goexit(); return nil, nil },
			"fail":   func([]byte) ([]byte, error) { return nil, errNoIdea },
		}
		for name, handler := range handlers {
			if err := ctx.HandleQuery(name, handler); err != nil {
				return nil, err
			}
		}
		for _, name := range names {
			out, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: name, Input: in}))
			if err != nil {
				return nil, err
			}
			in = out
			done++
		}
		return in, nil
	}
}

func registry(t *testing.T, code engine.Func) *engine.Registry {
	t.Helper()
	r, err := engine.NewRegistry(engine.Orchestration{Name: "Flow", Func: code})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// events numbers the events of a history.
func events(of ...history.Event) []history.Event {
	for i := range of {
		of[i].EventID = int64(i) + 1
	}
	return of
}

var (
	started   = history.Event{Kind: history.OrchestrationStarted, Name: "Flow", Start: &history.Start{ExecutionID: 1, StartID: "s"}, Payload: []byte("1")}
	suspended = history.Event{Kind: history.OrchestrationSuspended, SenderID: "x"}
	ended     = history.Event{Kind: history.OrchestrationCompleted, Payload: []byte("1")}
)

func scheduled(name string) history.Event {
	return history.Event{Kind: history.ActivityScheduled, Name: name, Payload: []byte("1")}
}

func completed(source int64) history.Event {
	return history.Event{Kind: history.ActivityCompleted, SourceEventID: source, Payload: []byte("1")}
}

func turns(all []history.Event) []store.Turn {
	return []store.Turn{{Instance: "i", ExecutionID: 1, Events: all}}
}

func ask(t *testing.T, code engine.Func, query string, of []store.Turn) (querying.Answer, error) {
	t.Helper()
	return querying.Ask(t.Context(), registry(t, code), querying.Of{Instance: "i", ExecutionID: 1, Query: query, NowMS: 1}, of)
}

func TestTheCodeAnswersUpToTheLastEventThatItHasProcessed(t *testing.T) {
	t.Parallel()
	both := events(started, scheduled("a"), completed(2), scheduled("b"), completed(4), ended)
	parked := []store.Turn{{Events: both[:4]}, {Events: both[4:5], Parked: true}}
	for _, c := range []struct {
		what     string
		code     engine.Func
		turns    []store.Turn
		output   string
		to, last int64
		problem  int64
	}{
		{"a running instance", steps("a", "b"), turns(both[:4]), "1", 4, 4, 0},
		{"one that has ended", steps("a", "b"), turns(both), "2", 6, 6, 0},
		{"one that is suspended", steps("a", "b"), turns(events(started, scheduled("a"), suspended, completed(2))), "0", 2, 4, 0},
		{"one that is stuck at its second step", steps("a", "x"), turns(both[:4]), "0", 2, 4, 4},
		{"one with a result that was recorded without running the code", steps("a", "b"), parked, "1", 4, 5, 0},
		{"one that is stuck and has parked results", steps("a", "x"), parked, "0", 2, 5, 4},
	} {
		a, err := ask(t, c.code, "done", c.turns)
		if err != nil || string(a.Output) != c.output || a.ReadTo != c.to || a.Last != c.last {
			t.Errorf("%s: %s, read to %d of %d, %v; want %s, %d of %d", c.what, a.Output, a.ReadTo, a.Last, err, c.output, c.to, c.last)
		}
		if (a.Problem != nil) != (c.problem != 0) || a.Problem != nil && a.Problem.EventID != c.problem {
			t.Errorf("%s: problem %+v", c.what, a.Problem)
		}
	}
}

func TestEachReasonForNoAnswerHasItsKind(t *testing.T) {
	t.Parallel()
	one := turns(events(started, scheduled("a")))
	over := turns(events(started, scheduled("a"), completed(2), ended))
	for _, c := range []struct {
		what        string
		code        engine.Func
		query       string
		turns       []store.Turn
		kind, words string
		event       int64
		stack       bool
	}{
		{"a name that is misspelt", steps("a"), "don", one, querying.Unknown, `did you mean "done"?`, 0, false},
		{"code without handlers", func(ctx *engine.Context, in []byte) ([]byte, error) {
			return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "a", Input: in}))
		}, "done", one, querying.Unknown, "register the handler", 0, false},
		{"code that has not run", steps("a"), "done", []store.Turn{{Events: events(started, suspended), Parked: true}}, querying.NotRun, "has not run", 0, false},
		{"code that disagrees at once", steps("x"), "done", one, querying.Disagrees, "", 2, false},
		{"code that panics at once", func(*engine.Context, []byte) ([]byte, error) { panic("at once") }, "done", one, querying.Disagrees, "at once", 1, true},
		{"code that disagrees with the end", steps("a", "b"), "done", over, querying.Disagrees, "", 4, false},
		{"a handler that starts a timer", steps("a"), "start", one, querying.DurableCall, "only reads", 0, false},
		{"a handler that panics", steps("a"), "panic", one, querying.Panicked, "kaboom", 0, true},
		{"a handler that calls Goexit", steps("a"), "goexit", one, querying.Panicked, "Goexit", 0, false},
		{"a handler that fails", steps("a"), "fail", one, querying.Failed, "no idea", 0, false},
	} {
		_, err := ask(t, c.code, c.query, c.turns)
		refused, ok := errors.AsType[*querying.Error](err)
		switch {
		case !ok || refused.Kind != c.kind || !strings.Contains(refused.Message, c.words) || refused.EventID != c.event:
			t.Errorf("%s: %+v, want kind %s at event %d", c.what, err, c.kind, c.event)
		case c.stack != strings.Contains(refused.Stack, "querying_test.go:"):
			t.Errorf("%s: the stack is %q", c.what, refused.Stack)
		case errors.Is(err, errNoIdea) != (c.kind == querying.Failed):
			t.Errorf("%s: the error is %v", c.what, err)
		}
	}
	none, err := engine.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	_, err = querying.Ask(t.Context(), none, querying.Of{Instance: "i", ExecutionID: 1, Query: "done"}, one)
	if refused, ok := errors.AsType[*querying.Error](err); !ok || refused.Kind != querying.NotRegistered {
		t.Errorf("without the code: %v", err)
	}
	if _, err := ask(t, steps("a"), "done", turns(events(started, completed(2)))); !errors.As(err, new(*engine.CorruptionError)) {
		t.Errorf("of a damaged history: %v", err)
	}
}

// An open inline activity is not run, however the turn that scheduled it was cut off.
func TestAnOpenInlineActivityIsNotRun(t *testing.T) {
	t.Parallel()
	code := func(ctx *engine.Context, in []byte) ([]byte, error) {
		phase := "before"
		if err := ctx.HandleQuery("phase", func([]byte) ([]byte, error) { return []byte(phase), nil }); err != nil {
			return nil, err
		}
		out, err := ctx.Inline(engine.ActivityCall{Name: "a", Input: in})
		phase = "after"
		return out, err
	}
	inline := scheduled("a")
	inline.Inline = true
	if a, err := ask(t, code, "phase", turns(events(started, inline))); err != nil || string(a.Output) != "before" || a.ReadTo != 2 {
		t.Errorf("%s, read to %d, %v", a.Output, a.ReadTo, err)
	}
	// The start alone is recorded: the code that would schedule it has not run.
	_, err := ask(t, code, "phase", []store.Turn{{Events: events(started), Parked: true}})
	if refused, ok := errors.AsType[*querying.Error](err); !ok || refused.Kind != querying.NotRun {
		t.Errorf("before the turn: %v", err)
	}
}

// Code that does not return is left to its goroutine, whose stack is in the error. The copy is closed once
// it returns.
func TestCodeThatBlocksIsAbandoned(t *testing.T) {
	t.Parallel()
	blocks := func(free chan struct{}) { <-free }
	for what, code := range map[string]func(free, closed chan struct{}) engine.Func{
		"the handler": func(free, closed chan struct{}) engine.Func {
			return func(ctx *engine.Context, in []byte) ([]byte, error) {
				defer close(closed)
				if err := ctx.HandleQuery("q", func([]byte) ([]byte, error) { blocks(free); return nil, nil }); err != nil {
					return nil, err
				}
				return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "a", Input: in}))
			}
		},
		"the code": func(free, closed chan struct{}) engine.Func {
			return func(ctx *engine.Context, in []byte) ([]byte, error) {
				defer close(closed)
				blocks(free)
				if err := ctx.HandleQuery("q", func([]byte) ([]byte, error) { t.Error("it was asked too late"); return nil, nil }); err != nil {
					return nil, err
				}
				return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "a", Input: in}))
			}
		},
		"a branch of a branch": func(free, closed chan struct{}) engine.Func {
			return func(ctx *engine.Context, in []byte) ([]byte, error) {
				defer close(closed)
				ctx.Go(func(ctx *engine.Context) ([]byte, error) {
					return ctx.Await(ctx.Go(func(*engine.Context) ([]byte, error) { blocks(free); return nil, nil }))
				})
				return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "a", Input: in}))
			}
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			free, closed := make(chan struct{}), make(chan struct{})
			// Another query waits in the same code.
			other := make(chan struct{})
			go func() {
				_, _ = ask(t, func(*engine.Context, []byte) ([]byte, error) { <-other; return nil, nil }, "q", turns(events(started, scheduled("a"))))
			}()
			begun := time.Now()
			_, err := ask(t, code(free, closed), "q", turns(events(started, scheduled("a"))))
			refused, ok := errors.AsType[*querying.Error](err)
			if !ok || refused.Kind != querying.Blocked || !strings.Contains(refused.Stack, "TestCodeThatBlocksIsAbandoned.func1(") || !strings.Contains(refused.Message, "querying_test.go:") {
				t.Errorf("%s blocks: %+v", what, err)
			}
			if passed := time.Since(begun); passed != querying.Limit {
				t.Errorf("%s blocks: the query took %s", what, passed)
			}
			synctest.Wait()
			select {
			case <-closed:
				t.Errorf("%s blocks: the copy was closed before it returned", what)
			default:
			}
			close(free)
			<-closed
			close(other)
		})
	}
}

func TestAnAnswerDoesNotWaitForeverForDeferredFunctions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		a, err := ask(t, func(ctx *engine.Context, in []byte) ([]byte, error) {
			defer func() { <-free }()
			if err := ctx.HandleQuery("q", func([]byte) ([]byte, error) { return []byte("7"), nil }); err != nil {
				return nil, err
			}
			return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "a", Input: in}))
		}, "q", turns(events(started, scheduled("a"))))
		if err != nil || string(a.Output) != "7" {
			t.Errorf("%s, %v", a.Output, err)
		}
		close(free)
	})
}

func TestAQueryEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		free := make(chan struct{})
		_, err := querying.Ask(ctx, registry(t, func(*engine.Context, []byte) ([]byte, error) { <-free; return nil, nil }),
			querying.Of{Instance: "i", ExecutionID: 1, Query: "q"}, turns(events(started, scheduled("a"))))
		if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(*querying.Error)) {
			t.Errorf("%v", err)
		}
		close(free)
	})
}
