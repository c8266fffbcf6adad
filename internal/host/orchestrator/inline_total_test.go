package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// failsInline returns a world whose inline activity In fails until mended is set, and whose
// orchestration Main returns the failure of In. startedAt receives the time at which each attempt
// started, relative to the start of the instance.
func failsInline(t *testing.T, r *history.Retry, startedAt *[]time.Duration, mended *bool) *world {
	w := newWorld(t, nil)
	start := w.clock.Now()
	w.inline = []activities.Activity{{Name: "In", Func: func(_ context.Context, in []byte) ([]byte, error) {
		*startedAt = append(*startedAt, w.clock.Now().Sub(start).Round(time.Second))
		if *mended {
			return in, nil
		}
		return nil, errors.New("no paper")
	}}}
	w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		return ctx.Inline(engine.ActivityCall{Name: "In", Input: []byte("1"), Retry: r})
	})
	return w
}

// retries of an inline activity that wait over timers share its TotalTimeout, which counts
// from the first scheduling event. A retry that would start after the end of that time does not
// happen.
func TestA14RetriesOfAnInlineActivityShareItsTotalTimeout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		retry history.Retry
		want  []time.Duration
	}{
		{"a retry that would start later does not happen", history.Retry{MaxAttempts: 100, InitialMS: 600_000, MaxMS: 600_000, TotalTimeoutMS: 1_500_000},
			[]time.Duration{0, 10 * time.Minute, 20 * time.Minute}},
		{"nor does one that would start at its end", history.Retry{MaxAttempts: 100, InitialMS: 600_000, MaxMS: 600_000, TotalTimeoutMS: 600_000},
			[]time.Duration{0}},
		{"nor one that the turn waits for", history.Retry{MaxAttempts: 100, InitialMS: 1000, MaxMS: 1000, TotalTimeoutMS: 2500},
			[]time.Duration{0, time.Second, 2 * time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var startedAt []time.Duration
			w := failsInline(t, &c.retry, &startedAt, new(bool))
			w.start("a", "Main", "1")
			w.run()
			if fmt.Sprint(startedAt) != fmt.Sprint(c.want) {
				t.Errorf("attempts began at %v, want %v", startedAt, c.want)
			}
			f := w.record("a").Failure
			if f == nil || f.Kind != history.FailureTotalTimeout || f.Attempt != len(c.want) || !strings.Contains(f.Message, "no paper") {
				t.Errorf("it failed by %+v, want a total timeout of attempt %d that tells its failure", f, len(c.want))
			}
		})
	}
}

// if the timer of the retry fires after the end of that time, the turn starts no attempt.
func TestA14NoInlineAttemptStartsAfterTheTotalTimeout(t *testing.T) {
	t.Parallel()
	var startedAt []time.Duration
	w := failsInline(t, &history.Retry{MaxAttempts: 9, InitialMS: 600_000, TotalTimeoutMS: 900_000}, &startedAt, new(bool))
	w.start("a", "Main", "1")
	w.runFor(time.Minute)
	w.clock.Advance(time.Hour) // Nothing is received meanwhile.
	w.run()
	if f := w.record("a").Failure; len(startedAt) != 1 || f == nil || f.Kind != history.FailureTotalTimeout || f.Attempt != 1 {
		t.Errorf("attempts began at %v, and it failed by %+v", startedAt, f)
	}
}

// O-10: after a redrive, an inline activity has its full time again, even if its retry was waiting.
func TestO10ARedriveRestartsTheTotalTimeoutOfAnInlineActivity(t *testing.T) {
	t.Parallel()
	for name, waits := range map[string]bool{"it failed": false, "its retry waits": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var startedAt []time.Duration
			mended := false
			w := failsInline(t, &history.Retry{MaxAttempts: 9, InitialMS: 600_000, MaxMS: 600_000, TotalTimeoutMS: 900_000}, &startedAt, &mended)
			w.start("a", "Main", "1")
			if waits {
				w.runFor(time.Minute)
				w.send(wire.Item{Kind: wire.TerminateInstance, Instance: "a", ID: "t"})
			}
			w.run()
			w.clock.Advance(5 * time.Hour)
			mended = true
			w.send(redriveOf("a", "r", 0))
			w.run()
			w.expectOutput("a", "1")
		})
	}
}
