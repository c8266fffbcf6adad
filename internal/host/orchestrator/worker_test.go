package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// once calls one activity with a policy. It returns the result, or the kind, attempt and message of
// the failure.
func once(retry *history.Retry) engine.Func {
	return func(ctx *engine.Context, in []byte) ([]byte, error) {
		out, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Work", Input: in, Retry: retry}))
		var f *engine.FailureError
		if errors.As(err, &f) {
			return fmt.Appendf(nil, "%q", fmt.Sprintf("%s %d %s", f.Failure.Kind, f.Failure.Attempt, f.Failure.Message)), nil
		}
		return out, err
	}
}

// final is an error that is not retried.
type final struct{}

func (final) Error() string { return "for good" }
func (final) Failure() *history.Failure {
	return &history.Failure{Kind: history.FailureApplication, Message: "for good"}
}

func TestAttempts(t *testing.T) {
	t.Parallel()
	five := &history.Retry{MaxAttempts: 5, InitialMS: 1000}
	for _, c := range []struct {
		name     string
		retry    *history.Retry
		code     func(w *world) activities.Func
		output   string
		attempts int
	}{
		{"A-02 an error, no retries", nil, func(*world) activities.Func {
			return func(context.Context, []byte) ([]byte, error) { return nil, errors.New("no luck") }
		}, `"application 1 no luck"`, 1},
		{"A-03 fails twice, succeeds on the third", five, func(w *world) activities.Func {
			return func(ctx context.Context, _ []byte) ([]byte, error) {
				if info, _ := activities.InfoFrom(ctx); info.Number < 3 {
					return nil, errors.New("not yet")
				}
				return []byte("3"), nil
			}
		}, "3", 3},
		{"A-03 all five fail", five, func(*world) activities.Func {
			return func(ctx context.Context, _ []byte) ([]byte, error) {
				info, _ := activities.InfoFrom(ctx)
				return nil, fmt.Errorf("failure %d", info.Number)
			}
		}, `"application 5 failure 5"`, 5},
		{"A-04 an error that is not retryable", five, func(*world) activities.Func {
			return func(context.Context, []byte) ([]byte, error) { return nil, final{} }
		}, `"application 1 for good"`, 1},
		{"A-04 a code that is final", &history.Retry{MaxAttempts: 5, FinalCodes: []string{"gone"}}, func(*world) activities.Func {
			return func(context.Context, []byte) ([]byte, error) { return nil, coded("gone") }
		}, `"application 1 coded gone"`, 1},
		{"A-07 a panic", &history.Retry{MaxAttempts: 2}, func(*world) activities.Func {
			return func(context.Context, []byte) ([]byte, error) { panic("oh no") }
		}, `"panic 2 panic in activity \"Work\": oh no"`, 2},
		{"A-07 a goroutine that is ended", nil, func(*world) activities.Func {
			return func(context.Context, []byte) ([]byte, error) { runtime.Goexit(); return nil, nil }
		}, `"panic 1 activity \"Work\" ended its goroutine (runtime.Goexit)"`, 1},
		{"A-06 the attempt's timeout", &history.Retry{MaxAttempts: 2, TimeoutMS: 5000}, func(w *world) activities.Func {
			return func(ctx context.Context, _ []byte) ([]byte, error) {
				if info, _ := activities.InfoFrom(ctx); info.Number == 2 {
					return []byte("2"), nil
				}
				w.clock.Advance(5 * time.Second)
				<-ctx.Done()
				return nil, context.Cause(ctx)
			}
		}, "2", 2},
		{"L-02 a result that is too large", five, func(*world) activities.Func {
			return func(context.Context, []byte) ([]byte, error) {
				return []byte(`"` + strings.Repeat("x", 300<<10) + `"`), nil
			}
		}, `"too_large 1 result too large: 307202 bytes; the limit is 262144; store it and return a reference"`, 1},
		{"a result that is not JSON", nil, func(*world) activities.Func {
			return func(context.Context, []byte) ([]byte, error) { return []byte("{"), nil }
		}, `"application 1 the activity's result is not JSON"`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", once(c.retry))
			attempts := 0
			code := c.code(w)
			w.activityFunc("Work", func(ctx context.Context, in []byte) ([]byte, error) {
				attempts++
				return code(ctx, in)
			})
			w.start("a", "Main", "1")
			w.run()
			w.expectOutput("a", c.output)
			if attempts != c.attempts {
				t.Errorf("%d attempts, want %d", attempts, c.attempts)
			}
			if h := short(w.events("a", 1)); strings.Count(h, "←2") != 1 {
				t.Errorf("history %s", h)
			}
			w.expectQuiet()
			w.expectDead()
		})
	}
}

type coded string

func (c coded) Error() string { return "coded " + string(c) }
func (c coded) Failure() *history.Failure {
	return &history.Failure{Kind: history.FailureApplication, Message: c.Error(), Code: string(c), Retryable: true}
}

func TestL02OverLongErrorTextsAreCutAndMarked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", once(nil))
	w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) { return nil, errors.New(strings.Repeat("e", 1<<20)) })
	w.start("a", "Main", "1")
	w.run()
	f := w.events("a", 1)[2].Failure
	if f == nil || len(f.Message) > 8<<10 || !strings.HasSuffix(f.Message, "… (cut)") {
		t.Errorf("message of %d bytes", len(f.Message))
	}
}

func TestA05TheDelaysOfRetries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", once(&history.Retry{MaxAttempts: 6, InitialMS: 10 * 60_000, Coefficient: 2, MaxMS: 50 * 60_000}))
	var at []time.Time
	w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) {
		at = append(at, w.clock.Now())
		return nil, errors.New("no")
	})
	w.start("a", "Main", "1")
	w.run()
	// A delay longer than a queue allows is not shortened.
	for i, want := range []time.Duration{10, 20, 40, 50, 50} {
		if got := at[i+1].Sub(at[i]); got != want*time.Minute {
			t.Errorf("delay before attempt %d is %s, want %s", i+2, got, want*time.Minute)
		}
	}
}

func TestA08AWorkerThatDiesInEveryAttempt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", once(nil))
	var deliveries []int
	w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
		info, _ := activities.InfoFrom(ctx)
		if info.Number != 1 {
			t.Errorf("attempt %d, want the same one again", info.Number)
		}
		deliveries = append(deliveries, info.Delivery)
		w.worker.kill()
		return nil, nil
	})
	w.start("a", "Main", "1")
	w.run()
	// Three deliveries without a mark, then five that leave one.
	if got := fmt.Sprint(deliveries); got != "[1 2 3 4 5 6 7 8]" {
		t.Errorf("deliveries %s", got)
	}
	if out := string(w.record("a").Output); !strings.Contains(out, "lost 1 activity") || !strings.Contains(out, "5 processes in a row died in its attempts") {
		t.Errorf("output %s", out)
	}
	w.expectCount(host.CountAttempts, history.FailureLost, 1)
	w.expectQuiet()
	w.expectDead()
}

// An attempt that shares an invocation with an attempt that kills its process is not lost.
func TestA08AnAttemptInTheBatchOfAPoisonMessageIsNotLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.limit = 15 * time.Minute })
	w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		outs, err := ctx.Settle(ctx.Activity(engine.ActivityCall{Name: "Kills", Retry: &history.Retry{TimeoutMS: 10_000}}),
			ctx.Activity(engine.ActivityCall{Name: "Good", Retry: &history.Retry{TimeoutMS: 10_000}}))
		if err != nil || outs[0].Err == nil || outs[1].Err != nil {
			return nil, fmt.Errorf("%+v, %w", outs, err)
		}
		return outs[1].Value, nil
	})
	w.activityFunc("Kills", func(context.Context, []byte) ([]byte, error) { w.worker.kill(); return nil, nil })
	w.activityFunc("Good", func(context.Context, []byte) ([]byte, error) { return []byte("7"), nil })
	w.start("a", "Main", "1")
	w.run()
	w.expectOutput("a", "7")
	w.expectCount(host.CountAttempts, history.FailureLost, 1)
	w.expectQuiet()
}

func TestA08W06TheAttemptOfADeadWorkerIsRedeliveredSoon(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", once(&history.Retry{TimeoutMS: 10_000}))
	var at []time.Time
	w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
		if at = append(at, w.clock.Now()); len(at) == 1 {
			w.worker.kill()
		}
		return []byte("1"), nil
	})
	w.start("a", "Main", "1")
	w.run()
	w.expectOutput("a", "1")
	// The attempt's timeout plus the margin, not the whole visibility timeout of the queue.
	if got := at[1].Sub(at[0]); got != 40*time.Second {
		t.Errorf("delivered again after %s, want 40s", got)
	}
}

func TestA09IdempotencyKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	keys := map[string]map[string]bool{}
	w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
		info, _ := activities.InfoFrom(ctx)
		place := fmt.Sprint(info.Instance, info.ExecutionID, info.EventID)
		if keys[place] == nil {
			keys[place] = map[string]bool{}
		}
		keys[place][info.IdempotencyKey] = true
		if info.Number == 1 {
			return nil, errors.New("again")
		}
		return []byte("1"), nil
	})
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		call := engine.ActivityCall{Name: "Work", Input: in, Retry: &history.Retry{MaxAttempts: 2}}
		if _, err := ctx.Join(ctx.Activity(call), ctx.Activity(call)); err != nil || string(in) == "2" {
			return in, err
		}
		return nil, ctx.ContinueAsNew("", []byte("2"), nil)
	})
	w.start("a", "Main", "1")
	w.start("b", "Main", "1")
	w.run()
	all := map[string]bool{}
	for place, of := range keys {
		if len(of) != 1 {
			t.Errorf("%s has the keys %v", place, of)
		}
		for key := range of {
			all[key] = true
		}
	}
	if len(keys) != 8 || len(all) != 8 {
		t.Errorf("%d places with %d keys, want 8", len(keys), len(all))
	}
}

func TestA15AnActivityThatIsNotRegistered(t *testing.T) {
	t.Parallel()
	t.Run("waits for a deployment, for weeks, and does not spin", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", once(nil))
		w.activityFunc("Other", step)
		w.start("a", "Main", "1")
		w.runFor(30 * 24 * time.Hour)
		w.expectStatus("a", store.StatusRunning)
		if rounds := w.observer.counts[string(host.CountDelayed)+" not_registered"]; rounds < 4*24*30-10 || rounds > 4*24*30+10 {
			t.Errorf("%d rounds in thirty days, want one in a quarter of an hour", rounds)
		}
		for _, m := range w.activity.Peek() {
			if age := w.clock.Now().Sub(m.SentAt); age > time.Hour {
				t.Errorf("its message is %s old: a queue deletes what it has kept for too long", age)
			}
		}
		w.activityFunc("Work", step)
		w.restart()
		w.run()
		w.expectOutput("a", "11")
		w.expectQuiet()
		w.expectDead()
	})
	t.Run("no longer than the time of all its attempts", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", once(&history.Retry{TotalTimeoutMS: 3_600_000}))
		w.start("a", "Main", "1")
		w.run()
		w.expectOutput("a", `"total_timeout 0 activity \"Work\" did not complete within its TotalTimeout of 1h0m0s"`)
		if took := time.UnixMilli(w.events("a", 1)[2].AtMS - w.events("a", 1)[1].AtMS); took.UnixMilli() > 3_601_000 {
			t.Errorf("it failed after %d ms", took.UnixMilli())
		}
		w.expectQuiet()
	})
	t.Run("until a deployment", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", once(nil))
		w.start("a", "Main", "1")
		w.runFor(time.Minute)
		w.activityFunc("Work", step)
		w.restart()
		w.run()
		w.expectOutput("a", "11")
	})
}

func TestAMessageThatIsNotAnAttemptLeavesTheActivityQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", waits("e"))
	w.start("a", "Main", "1")
	w.settleFIFO()
	for _, body := range []string{"{", w.body(wire.Item{Kind: wire.Wake, Instance: "a", ID: "w"})} {
		if err := w.activity.Send(t.Context(), queue.Outgoing{Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	w.run()
	w.expectQuiet()
	w.expectDead("malformed", "misaddressed")
	w.expectHistory("a", 1, "Started Sub(e)")
}

func TestInlineActivities(t *testing.T) {
	t.Parallel()
	inline := func(names ...string) engine.Func {
		return func(ctx *engine.Context, in []byte) ([]byte, error) {
			var fs []*engine.Future
			for _, name := range names {
				fs = append(fs, ctx.Activity(engine.ActivityCall{Name: name, Input: in, Inline: true, Retry: &history.Retry{MaxAttempts: 2, InitialMS: 0}}))
			}
			outs, err := ctx.Settle(fs...)
			if err != nil {
				return nil, err
			}
			var words []string
			for _, o := range outs {
				var f *engine.FailureError
				if errors.As(o.Err, &f) {
					words = append(words, f.Failure.Kind)
					continue
				}
				words = append(words, string(o.Value))
			}
			return fmt.Appendf(nil, "%q", strings.Join(words, " ")), nil
		}
	}
	t.Run("A-14 each result is committed before the code continues", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		runs := 0
		w.inline = []activities.Activity{
			{Name: "Good", Func: func(context.Context, []byte) ([]byte, error) { runs++; return []byte("7"), nil }},
			{Name: "Panic", Func: func(context.Context, []byte) ([]byte, error) { runs++; panic("no") }},
		}
		w.orchestration("Main", inline("Good", "Panic", "Missing", "Good"))
		w.start("a", "Main", "1")
		w.run()
		w.expectOutput("a", `"7 panic not_registered 7"`)
		w.expectHistory("a", 1, "Started Act(Good) Act(Panic) Act(Missing) Act(Good) Done←2 Failed(panic)←3 Failed(not_registered)←4 Done←5 Completed")
		if runs != 4 {
			t.Errorf("%d runs, want 4: the panic has two attempts", runs)
		}
		if got := w.counted(); got["Send activity"]+got["Send fifo"]+got["Send delay"] != 0 {
			t.Errorf("messages were sent: %v", got)
		}
		w.expectInvariants("a")
	})
	t.Run("its context ends in time before the invocation does", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.inline = []activities.Activity{{Name: "Slow", Func: func(ctx context.Context, _ []byte) ([]byte, error) {
			w.clock.Advance(55 * time.Second)
			<-ctx.Done()
			return nil, ctx.Err()
		}}}
		w.orchestration("Main", inline("Slow"))
		w.start("a", "Main", "1")
		w.step()
		w.expectOutput("a", `"timeout"`)
	})
	t.Run("a completion from outside for one is misaddressed", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.inline = []activities.Activity{{Name: "Good", Func: func(context.Context, []byte) ([]byte, error) { return []byte("7"), nil }}}
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := inline("Good")(ctx, in); err != nil {
				return nil, err
			}
			return waits("e")(ctx, in)
		})
		w.start("a", "Main", "1")
		w.settleFIFO()
		w.send(w.completed("a", 2, "8"))
		w.run()
		w.expectDead("misaddressed")
	})
}

func TestF12AThousandActivitiesInOneTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		var fs []*engine.Future
		for i := range 1000 {
			fs = append(fs, ctx.Activity(engine.ActivityCall{Name: "Work", Input: fmt.Append(nil, i)}))
		}
		outs, err := ctx.Join(fs...)
		for i, out := range outs {
			if string(out) != fmt.Sprint(i) {
				return nil, fmt.Errorf("result %d is %s", i, out)
			}
		}
		return fmt.Append(nil, len(outs)), err
	})
	w.activityFunc("Work", func(_ context.Context, in []byte) ([]byte, error) { return in, nil })
	w.start("a", "Main", "1")
	w.process().killAt = 500
	w.step()
	if n := len(w.turns("a", 1)); n != 1 {
		t.Errorf("%d commits, want one", n)
	}
	w.run()
	w.expectOutput("a", "1000")
	w.expectQuiet()
}
