package orchestrator

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// L-03: near the history limit there is a warning. At the limit the instance fails with advice, its
// open operations are cancelled and its parent is notified, wherever the process dies meanwhile.
func TestL03AHistoryAtItsLimitFailsTheInstance(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, killAt int, after bool) *world {
		var log bytes.Buffer
		w := newWorld(t, func(w *world) {
			w.settings.Limits.Events = 20
			w.logger = slog.New(slog.NewTextHandler(&log, nil))
		})
		w.orchestration("Endless", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			ctx.Timer(10 * time.Hour)
			for {
				if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte("1")})); err != nil {
					return nil, err
				}
			}
		})
		w.orchestration("Parent", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			_, err := ctx.Await(ctx.Child(engine.ChildCall{Name: "Endless", Instance: "endless"}))
			return fmt.Appendf(nil, "%q", fmt.Sprint(err)), nil
		})
		w.activityFunc("Step", func(context.Context, []byte) ([]byte, error) { return []byte("1"), nil })
		w.start("parent", "Parent", "1")
		w.process().killAt, w.process().after = killAt, after
		w.run()
		w.expectStatus("endless", store.StatusFailed)
		w.expectStatus("parent", store.StatusCompleted)
		if f := w.record("endless").Failure; f == nil || f.Kind != history.FailureLimit || !strings.Contains(f.Message, "continue as new") || !strings.Contains(f.Message, "limit is 20") {
			t.Errorf("failure %+v", f)
		}
		if got := string(w.record("parent").Output); !strings.Contains(got, "continue as new") {
			t.Errorf("the parent heard %s", got)
		}
		events := w.events("endless", 1)
		if end := &events[len(events)-1]; end.Forced != history.ForcedByLimit || len(events) < 20 || len(events) > 23 {
			t.Errorf("history of %d events ends with %+v", len(events), end)
		}
		if n := strings.Count(log.String(), "history is close to its limit"); n != 1 && killAt == 0 {
			t.Errorf("%d warnings, want one", n)
		}
		w.expectQuiet() // The timer is removed.
		w.expectDead()
		return w
	}
	calls := run(t, 0, false).process().calls
	for k := 1; k <= calls; k++ {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("killed at call %d, after it %t", k, after), func(t *testing.T) { run(t, k, after) })
		}
	}
}

// A history counts 300 bytes for each event, plus the payloads.
func TestL03AHistoryHasALimitOfBytes(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]store.Status{601: store.StatusFailed, 602: store.StatusCompleted, -1: store.StatusCompleted} {
		w := newWorld(t, func(w *world) {
			w.settings.Limits.Bytes = limit
			w.orchestration("Main", waits("e"))
		})
		w.start("main", "Main", "1") // Started, with its input, and Subscribed
		w.settleFIFO()
		w.expectStatus("main", store.StatusRunning)
		w.raise("main", "e", "1", "e-1")
		w.run()
		w.expectStatus("main", want)
		if f := w.record("main").Failure; want == store.StatusFailed && (f == nil || f.Kind != history.FailureLimit ||
			!strings.Contains(f.Message, "has about 601 bytes; the limit is 601 (MaxHistoryBytes)")) {
			t.Errorf("failure %+v", f)
		}
	}
}
