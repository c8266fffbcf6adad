package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// redriveOf continues an instance from an event, or from its failure if from is 0.
func redriveOf(instance, id string, from int64) wire.Item {
	return wire.Item{Kind: wire.StartOrchestration, Instance: instance, Name: "Main", ID: id, OnConflict: wire.ConflictRedrive,
		Origin: &history.Origin{Instance: instance, EventID: from}}
}

// runs counts the attempts of activities, by name and input, and their idempotency keys.
type runs struct {
	mu   sync.Mutex
	n    map[string]int
	keys map[string][]string
	// broken are the inputs with which attempts fail.
	broken map[string]bool
}

// counted registers an activity that fails permanently with broken inputs.
func counted(w *world, name string) *runs {
	r := &runs{n: map[string]int{}, keys: map[string][]string{}, broken: map[string]bool{}}
	w.activityFunc(name, func(ctx context.Context, in []byte) ([]byte, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		what := string(in)
		r.n[what]++
		r.keys[what] = append(r.keys[what], idempotencyKey(ctx))
		if r.broken[what] {
			return nil, fmt.Errorf("%s is broken", what)
		}
		return append(in[:len(in):len(in)], '1'), nil
	})
	return r
}

func idempotencyKey(ctx context.Context) string {
	info, _ := activities.InfoFrom(ctx)
	return info.IdempotencyKey
}

func (r *runs) expect(t *testing.T, want map[string]int) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !maps.Equal(r.n, want) {
		t.Errorf("attempts %v, want %v", r.n, want)
	}
}

func stepOf(ctx *engine.Context, name, in string) ([]byte, error) {
	return ctx.Await(ctx.Activity(engine.ActivityCall{Name: name, Input: []byte(in)}))
}

// threeSteps runs three activities one after another.
func threeSteps(ctx *engine.Context, _ []byte) ([]byte, error) {
	for _, in := range []string{"1", "2", "3"} {
		if _, err := stepOf(ctx, "Step", in); err != nil {
			return nil, err
		}
	}
	return []byte(`"done"`), nil
}

func TestO10ARedriveContinuesWhereTheInstanceFailed(t *testing.T) {
	t.Parallel()
	for _, cold := range []bool{false, true} {
		w := newWorld(t, nil)
		w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			if err := ctx.SetSearchAttributes(history.SearchAttributes{"lane": history.SearchNumberOf(7)}); err != nil {
				return nil, err
			}
			if err := ctx.SetState(history.ListedState, []byte(`"packing"`)); err != nil {
				return nil, err
			}
			return threeSteps(ctx, nil)
		})
		r := counted(w, "Step")
		r.broken["3"] = true
		w.start("a", "Main", "1")
		w.run()
		w.expectStatus("a", store.StatusFailed)
		w.expectHistory("a", 1, "Started Act(Step) Done←2 Act(Step) Done←4 Act(Step) Failed(application)←6 Failed(application)")
		r.broken["3"] = false
		started := w.record("a").CreatedAt
		w.clock.Advance(24 * time.Hour)
		if cold {
			w.restart()
		}
		w.send(redriveOf("a", "r1", 0))
		w.run()
		w.expectHistory("a", 2, "Started Act(Step) Done←2 Act(Step) Done←4 Act(Step) Redriven OrchestrationResumed Done←6 Completed")
		w.expectOutput("a", `"done"`)
		r.expect(t, map[string]int{"1": 1, "2": 1, "3": 2})
		if k := r.keys["3"]; k[0] == k[1] {
			t.Error("what had failed has the idempotency key of its last attempt")
		}
		rec := w.record("a")
		if rec.ExecutionID != 2 || rec.FirstExecution != 1 || rec.StartID != "r1" || string(history.StateNamed(rec.States, history.ListedState)) != `"packing"` ||
			rec.SearchAttributes["lane"] != history.SearchNumberOf(7) || rec.Origin == nil || rec.Origin.ExecutionID != 1 || rec.Origin.EventID != 6 {
			t.Errorf("the record is %+v", rec)
		}
		if !rec.CreatedAt.Equal(started) {
			t.Errorf("the redrive moved its start from %s to %s", started, rec.CreatedAt)
		}
		// The repeat of the redrive starts nothing.
		w.send(redriveOf("a", "r1", 0))
		w.run()
		if n := w.record("a").ExecutionID; n != 2 {
			t.Errorf("a repeat began execution %d", n)
		}
		w.expectDead()
	}
}

// A redrive whose code runs from the beginning is still a redrive: the instance keeps its start
// time. A start that restarts the instance sets a new start time.
func TestO10ARedriveKeepsTheStartTimeOfItsInstance(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(*engine.Context, []byte) ([]byte, error) { return nil, errors.New("not today") })
	w.start("a", "Main", "1")
	w.run()
	started := w.record("a").CreatedAt
	for n, c := range []struct {
		item wire.Item
		// stays: the start time stays, and the record says which execution was redriven last.
		stays bool
		of    int64
	}{{redriveOf("a", "r1", 0), true, 1}, {redriveOf("a", "r2", 0), true, 2},
		{wire.Item{V: 1, Kind: wire.StartOrchestration, Instance: "a", ID: "s2", Name: "Main", OnConflict: wire.ConflictRestart}, false, 0}} {
		w.clock.Advance(24 * time.Hour)
		w.send(c.item)
		w.run()
		rec := w.record("a")
		if rec.ExecutionID != int64(n+2) || rec.CreatedAt.Equal(started) != c.stays || (rec.Origin == nil) != !c.stays || c.stays && (rec.Origin.Instance != "a" || rec.Origin.ExecutionID != c.of) {
			t.Errorf("after %s it is %+v, and started at %s first", c.item.ID, rec, started)
		}
	}
	w.expectDead()
}

// The code has made an id from its execution number. Events that were copied twice keep their
// original number.
func TestO10TheCodeSeesTheExecutionInWhichSomethingWasRecorded(t *testing.T) {
	t.Parallel()
	for _, cold := range []bool{false, true} {
		w := newWorld(t, nil)
		w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			seen := ""
			for n := range 4 {
				seen += fmt.Sprint(ctx.Info().ExecutionID)
				if _, err := stepOf(ctx, "Step", fmt.Sprintf("%d%d", n+1, ctx.Info().ExecutionID)); err != nil {
					return nil, err
				}
			}
			return []byte(`"` + seen + `"`), nil
		})
		r := counted(w, "Step")
		r.broken["21"], r.broken["42"] = true, true
		w.start("a", "Main", "1")
		for _, id := range []string{"r1", "r2", "r3"} {
			w.run()
			w.expectStatus("a", store.StatusFailed)
			delete(r.broken, "21")
			if id == "r3" {
				delete(r.broken, "42")
			}
			if cold {
				w.restart()
			}
			w.send(redriveOf("a", id, 0))
		}
		w.run()
		w.expectOutput("a", `"1122"`)
		w.expectDead()
	}
}

// An activity that was open when the instance was terminated is started again under its original
// key, and a completion of the original also completes the copy.
func TestO10AnOpenActivityKeepsItsKeyAndItsLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		return stepOf(ctx, "Ask", "1")
	})
	var keys, tokens []string
	w.activityFunc("Ask", func(ctx context.Context, _ []byte) ([]byte, error) {
		info, _ := activities.InfoFrom(ctx)
		keys, tokens = append(keys, info.IdempotencyKey), append(tokens, info.CompletionToken)
		return nil, activities.ErrPending
	})
	w.start("a", "Main", "1")
	w.settleFIFO()
	w.run()
	for n := range 2 {
		w.send(wire.Item{Kind: wire.TerminateInstance, Instance: "a", ID: fmt.Sprint("t", n)})
		w.run()
		w.send(redriveOf("a", fmt.Sprint("r", n), 0))
		w.run()
	}
	if len(keys) != 3 || keys[0] != keys[1] || keys[1] != keys[2] || tokens[0] == tokens[1] {
		t.Fatalf("keys %v, tokens %v", keys, tokens)
	}
	w.restart()
	w.byToken(wire.ActivityCompleted, tokens[0], `,"result":"by the first link"`)
	w.run()
	w.expectOutput("a", `"by the first link"`)
	w.expectHistory("a", 3, "Started Act(Ask) Redriven OrchestrationResumed Done←2 Completed")
	w.expectDead()
}

// An activity that timed out may have had its effect: it keeps its idempotency key, and a late
// result counts.
func TestO10ATimedOutActivityKeepsItsKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Ask", Input: []byte("1"), Retry: &history.Retry{TotalTimeoutMS: 60_000}}))
	})
	var keys, tokens []string
	w.activityFunc("Ask", func(ctx context.Context, _ []byte) ([]byte, error) {
		info, _ := activities.InfoFrom(ctx)
		keys, tokens = append(keys, info.IdempotencyKey), append(tokens, info.CompletionToken)
		return nil, activities.ErrPending
	})
	w.start("a", "Main", "1")
	w.run()
	w.expectHistory("a", 1, "Started Act(Ask) Failed(total_timeout)←2 Failed(total_timeout)")
	w.send(redriveOf("a", "r", 0))
	w.settleFIFO()
	w.runFor(time.Second)
	if len(keys) != 2 || keys[0] != keys[1] {
		t.Fatalf("keys %v", keys)
	}
	w.byToken(wire.ActivityCompleted, tokens[0], `,"result":"late"`)
	w.run()
	w.expectOutput("a", `"late"`)
}

// A failed child continues where it failed, too; a completed child does not run again.
func TestO10ARedriveOfAParentRedrivesItsFailedChildren(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		var fs []*engine.Future
		for _, in := range []string{"1", "2"} {
			fs = append(fs, ctx.Child(engine.ChildCall{Name: "Child", Input: []byte(in)}))
		}
		out, err := ctx.Join(fs...)
		if err != nil {
			return nil, err
		}
		return []byte(`"` + string(out[0]) + " " + string(out[1]) + `"`), nil
	})
	w.orchestration("Child", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := stepOf(ctx, "Step", "1"+string(in)); err != nil {
			return nil, err
		}
		return stepOf(ctx, "Step", "2"+string(in))
	})
	r := counted(w, "Step")
	r.broken["22"] = true
	w.start("a", "Main", "1")
	w.run()
	w.expectStatus("a", store.StatusFailed)
	r.broken["22"] = false
	w.send(redriveOf("a", "r1", 0))
	w.run()
	w.expectOutput("a", `"211 221"`)
	r.expect(t, map[string]int{"11": 1, "12": 1, "21": 1, "22": 2})
	w.expectDead()
}

// An inline activity that a redrive starts again has all its attempts and its full time, however
// much of them the previous execution used.
func TestO10AnInlineActivityRestartsWithAllItsAttempts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var made []string
	w.inline = []activities.Activity{{Name: "In", Func: func(ctx context.Context, in []byte) ([]byte, error) {
		info, _ := activities.InfoFrom(ctx)
		made = append(made, fmt.Sprintf("%d of execution %d", info.Number, info.ExecutionID))
		w.clock.Advance(time.Second)
		if err := ctx.Err(); err != nil {
			t.Errorf("attempt %s has no time: %v", made[len(made)-1], err)
		}
		if len(made) < 4 {
			return nil, fmt.Errorf("broken")
		}
		return in, nil
	}}}
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		return ctx.Inline(engine.ActivityCall{Name: "In", Input: []byte("1"),
			Retry: &history.Retry{MaxAttempts: 2, InitialMS: 600_000, MaxMS: 600_000, TotalTimeoutMS: 3_600_000}})
	})
	w.start("a", "Main", "1")
	w.run()
	w.expectStatus("a", store.StatusFailed)
	w.clock.Advance(2 * time.Hour)
	w.send(redriveOf("a", "r", 0))
	w.run()
	w.expectOutput("a", "1")
	if got, want := strings.Join(made, ", "), "1 of execution 1, 2 of execution 1, 1 of execution 2, 2 of execution 2"; got != want {
		t.Errorf("attempts %s, want %s", got, want)
	}
	w.expectDead()
}
