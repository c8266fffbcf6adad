package orchestrator

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	queuememory "github.com/turnstile-go/turnstile/internal/queue/memory"
)

// L-02: a message that a queue never accepts because of its size fails the operation that waits for
// it, or is a dead letter if nothing waits, and is not retried. The queues of this stack have their
// own MaximumMessageSize, which is smaller than the contract allows.
func TestL02AMessageRejectedForItsSizeIsNotRetriedForever(t *testing.T) {
	t.Parallel()
	long := `"` + strings.Repeat("x", 8<<10) + `"`
	failure := func(_ []byte, err error) ([]byte, error) {
		if err != nil {
			return fmt.Appendf(nil, "%q", err.Error()), nil
		}
		return []byte(`"no failure"`), nil
	}
	for _, c := range []struct {
		name   string
		code   engine.Func
		output string // part of it
		dead   []string
	}{
		{"the input of an activity", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			// The other messages in the call are sent, once.
			before := ctx.Activity(engine.ActivityCall{Name: "Count", Input: []byte("1")})
			large := ctx.Activity(engine.ActivityCall{Name: "Count", Input: []byte(long)})
			behind := ctx.Activity(engine.ActivityCall{Name: "Count", Input: []byte("3")})
			if _, err := ctx.Await(before); err != nil {
				return nil, err
			}
			if _, err := ctx.Await(behind); err != nil {
				return nil, err
			}
			return failure(ctx.Await(large))
		}, `the input of \"Count\" cannot be sent`, nil},
		{"the result of an activity", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			return failure(ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Large", Input: []byte("1"), Retry: &history.Retry{MaxAttempts: 5}})))
		}, `the result of activity \"Large\" cannot be sent`, nil},
		{"the details of a failure", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			return failure(ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Fails", Input: []byte("1")})))
		}, `out of stock (its details are left out`, nil},
		{"the input of a child", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			return failure(ctx.Await(ctx.Child(engine.ChildCall{Name: "Child", Input: []byte(long)})))
		}, `the input of \"Child\" cannot be sent`, nil},
		{"the output of a child", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			return failure(ctx.Await(ctx.Child(engine.ChildCall{Name: "Child", Input: []byte("1")})))
		}, `the output of orchestration \"Child\" cannot be sent`, nil},
		{"a detached start", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			_, err := ctx.Detach(engine.ChildCall{Name: "Child", Instance: "other", Input: []byte(long)})
			return []byte(`"started"`), err
		}, `"started"`, []string{"too_large"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) {
				w.fifo = w.newQueue(queuememory.Options{Name: "fifo", FIFO: true, DeadLetter: w.deadFIFO, MaxReceiveCount: 1000, MaxBytes: 6 << 10})
				w.activity = w.newQueue(queuememory.Options{Name: "activity", DeadLetter: w.activityDead, MaxReceiveCount: 1000, MaxBytes: 6 << 10})
			})
			calls := map[string]int{}
			count := func(_ context.Context, in []byte) ([]byte, error) {
				calls["Count"]++
				return in, nil
			}
			w.activityFunc("Count", count)
			w.activityFunc("Large", func(context.Context, []byte) ([]byte, error) {
				calls["Large"]++
				return []byte(long), nil
			})
			w.activityFunc("Fails", func(context.Context, []byte) ([]byte, error) {
				return nil, &failing{history.Failure{Kind: history.FailureApplication, Message: "out of stock", Details: []byte(long)}}
			})
			w.orchestration("Child", func(*engine.Context, []byte) ([]byte, error) { return []byte(long), nil })
			w.orchestration("Main", c.code)
			w.start("a", "Main", "1")
			w.run()
			if got := string(w.record("a").Output); !strings.Contains(got, c.output) {
				t.Errorf("the output is %s, want that it has %s (%+v)", got, c.output, w.record("a").Failure)
			}
			if calls["Large"] > 1 || calls["Count"] > 2 {
				t.Errorf("activities ran %v times", calls)
			}
			w.expectDead(c.dead...)
			for name, n := range w.observer.counts {
				if strings.HasPrefix(name, string(host.CountReturned)) {
					t.Errorf("%s: %d", name, n)
				}
			}
			w.expectQuiet()
		})
	}
}

// failing is an error that determines how it is recorded.
type failing struct{ as history.Failure }

func (f *failing) Error() string             { return f.as.Message }
func (f *failing) Failure() *history.Failure { return &f.as }
