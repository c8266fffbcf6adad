package orchestrator

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
)

func TestR16LinesAreLoggedOnceAndOnlyWhenTheTurnIsCommitted(t *testing.T) {
	t.Parallel()
	for _, cold := range []bool{false, true} {
		var out bytes.Buffer
		w := newWorld(t, func(w *world) {
			w.logger = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelInfo}))
			if cold {
				w.settings.Cache.Instances = -1
			}
		})
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			ctx.Logger().Info("line one")
			if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})); err != nil {
				return nil, err
			}
			ctx.Logger().Info("line two")
			return waits("e")(ctx, in)
		})
		w.activityFunc("Step", func(context.Context, []byte) ([]byte, error) { return []byte("1"), nil })
		lost := 0
		w.beforeCommit = func(*store.Commit) error {
			if lost++; lost == 1 {
				return store.ErrConflict
			}
			return nil
		}
		w.start("a", "Main", "1")
		w.raise("a", "e", "1", "e")
		w.run()
		w.expectOutput("a", "[1]")
		for _, line := range []string{"line one", "line two"} {
			if n := strings.Count(out.String(), line); n != 1 {
				t.Errorf("cold %t: %q logged %d times", cold, line, n)
			}
		}
	}
}
