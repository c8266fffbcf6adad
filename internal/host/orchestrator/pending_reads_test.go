package orchestrator

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
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

// A check of a pending activity in a later execution does not read the histories of the earlier
// executions.
func TestReadsOfACheckOfAPendingActivity(t *testing.T) {
	t.Parallel()
	for _, executions := range []int{1, 120} {
		w := newWorld(t, nil)
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			n, _ := strconv.Atoi(string(in))
			if n < executions {
				return nil, ctx.ContinueAsNew("", []byte(fmt.Sprint(n+1)), nil)
			}
			return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Work", Input: in, Retry: &history.Retry{HeartbeatTimeoutMS: 3_600_000}}))
		})
		var token string
		w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
			info, _ := activities.InfoFrom(ctx)
			token = info.CompletionToken
			return nil, fmt.Errorf("handed out: %w", activities.ErrPending)
		})
		w.start("a", "Main", "1")
		w.runFor(30 * time.Minute)
		w.byToken(wire.ActivityHeartbeat, token, "")
		w.runFor(20 * time.Minute)
		w.clock.Advance(20 * time.Minute)
		c := &readCounter{}
		w.change(func(cfg *Config) { c.Store, cfg.Services.Store = cfg.Services.Store, c })
		look, err := w.fifo.Receive(t.Context(), 10, 0)
		if err != nil || len(look) != 1 {
			t.Fatal(look, err)
		}
		w.give(platform.Delivery{Message: look[0], Source: platform.SourceOrchestrator})
		if c.n != 1 {
			t.Errorf("executions %d: %d histories read for one look at a pending activity", executions, c.n)
		}
		w.expectStatus("a", store.StatusRunning)
	}
}
