package orchestrator

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/store"
)

type readCounter struct {
	store.Store
	n int
}

func (c *readCounter) Read(ctx context.Context, i string, x, from int64) ([]store.Turn, error) {
	c.n++
	return c.Store.Read(ctx, i, x, from)
}

// A message about a pending activity that comes round in a late execution does not
// read the histories of the earlier ones.
func TestReadsOfAPendingActivityThatGoesRound(t *testing.T) {
	t.Parallel()
	for _, executions := range []int{1, 120} {
		w := newWorld(t, nil)
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			n, _ := strconv.Atoi(string(in))
			if n < executions {
				return nil, ctx.ContinueAsNew("", []byte(fmt.Sprint(n+1)), nil)
			}
			return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Work", Input: in, Retry: &history.Retry{TotalTimeoutMS: 4_000_000}}))
		})
		w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) {
			return nil, fmt.Errorf("handed out: %w", activity.ErrPending)
		})
		w.start("a", "Main", "1")
		w.runFor(60 * time.Minute)
		w.clock.Advance(30 * time.Minute)
		c := &readCounter{}
		w.change(func(cfg *Config) { c.Store, cfg.Store = cfg.Store, c })
		pending, err := w.delay.Receive(t.Context(), 10, 0)
		if err != nil || len(pending) != 1 {
			t.Fatal(pending, err)
		}
		w.give(host.Delivery{Message: pending[0], Source: host.SourceDelay})
		if c.n > 2 {
			t.Errorf("executions %d: %d histories read for one round of a pending activity", executions, c.n)
		}
	}
}
