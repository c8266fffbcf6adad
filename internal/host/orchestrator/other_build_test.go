package orchestrator

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/store"
)

// change is a piece of code in four builds: before a patch, with the patch, with the patch retired,
// and with the patch removed.
type change func(ctx *engine.Context, in []byte, build int) ([]byte, error)

const (
	beforePatch = iota
	withPatch
	retiredPatch
	patchGone
)

// patched asks for the patch as the build does, and reports which path to take.
func patched(ctx *engine.Context, build int) (bool, error) {
	switch build {
	case withPatch:
		return ctx.Patched("p")
	case retiredPatch:
		return true, ctx.PatchRetired("p")
	}
	return build == patchGone, nil
}

// patchedCode are orchestrations that behave differently with the patch, each in a different place.
var patchedCode = map[string]struct {
	code change
	with func(*engine.Orchestration)
}{
	"between two activities": {code: func(ctx *engine.Context, in []byte, build int) ([]byte, error) {
		if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})); err != nil {
			return nil, err
		}
		if has, err := patched(ctx, build); err != nil {
			return nil, err
		} else if has {
			if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Check", Input: in})); err != nil {
				return nil, err
			}
		}
		return waits("e")(ctx, in)
	}},
	"at the end": {code: func(ctx *engine.Context, in []byte, build int) ([]byte, error) {
		if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})); err != nil {
			return nil, err
		}
		if has, err := patched(ctx, build); err != nil || !has {
			return []byte("1"), err
		}
		return waits("e")(ctx, in)
	}},
	"in strict mode": {code: func(ctx *engine.Context, in []byte, build int) ([]byte, error) {
		has, err := patched(ctx, build)
		if err != nil {
			return nil, err
		}
		a, b := ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}), ctx.ExternalEvent("e")
		if has {
			_, err = ctx.Join(b, a)
		} else if _, err = ctx.Await(a); err == nil {
			_, err = ctx.Await(b)
		}
		return []byte("1"), err
	}, with: func(o *engine.Orchestration) { o.Strict = true }},
	"a sub-orchestration in place of an inline activity": {code: func(ctx *engine.Context, in []byte, build int) ([]byte, error) {
		if _, err := ctx.Await(ctx.Timer(time.Second)); err != nil {
			return nil, err
		}
		if has, err := patched(ctx, build); err != nil {
			return nil, err
		} else if has {
			if _, err := ctx.Await(ctx.Child(engine.ChildCall{Name: "Child", Input: in})); err != nil {
				return nil, err
			}
			return waits("e")(ctx, in)
		}
		if _, err := ctx.Inline(engine.ActivityCall{Name: "Quick", Input: in}); err != nil {
			return nil, err
		}
		return waits("e")(ctx, in)
	}},
	"an inline activity in place of nothing, by policy to fail": {code: func(ctx *engine.Context, in []byte, build int) ([]byte, error) {
		if _, err := ctx.Await(ctx.Timer(time.Second)); err != nil {
			return nil, err
		}
		if has, err := patched(ctx, build); err != nil {
			return nil, err
		} else if has {
			if _, err := ctx.Inline(engine.ActivityCall{Name: "Quick", Input: in}); err != nil {
				return nil, err
			}
		}
		return waits("e")(ctx, in)
	}, with: func(o *engine.Orchestration) { o.FailWhenStuck = true }},
}

// rollout is a world in which two builds run side by side.
type rollout struct {
	*world
	processes [2]*orchestratorProcess
	which     *rand.Rand
}

func newRollout(t *testing.T, code change, with func(*engine.Orchestration), older, newer int) *rollout {
	t.Helper()
	r := &rollout{world: newWorld(t, func(w *world) { w.maxReceive = 2 }), which: rand.New(rand.NewPCG(1, 2))}
	quick := func(_ context.Context, in []byte) ([]byte, error) { return in, nil }
	r.activityFunc("Step", quick)
	r.activityFunc("Check", quick)
	r.inline = append(r.inline, activities.Activity{Name: "Quick", Func: quick, Source: "test"})
	r.orchestration("Child", func(_ *engine.Context, in []byte) ([]byte, error) { return in, nil })
	r.orchestration("Main", nil, func(o *engine.Orchestration) {
		if with != nil {
			with(o)
		}
	})
	for i, build := range []int{older, newer} {
		r.orchestrator = nil
		r.orchestrations[1].Func = func(ctx *engine.Context, in []byte) ([]byte, error) { return code(ctx, in, build) }
		r.processes[i] = r.process()
		t.Cleanup(r.processes[i].o.Close)
	}
	return r
}

// share handles the messages that arrive within d. The newer build handles a random one of n
// batches; with n = 0, none.
func (r *rollout) share(d time.Duration, n int) {
	r.Helper()
	end := r.clock.Now().Add(d)
	for {
		r.orchestrator = r.processes[0]
		if n > 0 && r.which.IntN(n) == 0 {
			r.orchestrator = r.processes[1]
		}
		if r.step() {
			continue
		}
		next, ok := r.nextDue()
		if !ok || next.After(end) {
			break
		}
		r.advance(next)
	}
	r.clock.Advance(max(end.Sub(r.clock.Now()), 0))
}

func (r *rollout) instances() (all []string) {
	for i := range 30 {
		all = append(all, fmt.Sprint("i-", i))
	}
	return all
}

func TestV04ARolloutOfAPatchMakesNoInstanceStuck(t *testing.T) {
	t.Parallel()
	for name, c := range patchedCode {
		for _, roll := range []struct {
			name         string
			older, newer int
		}{
			{"the patch", beforePatch, withPatch},
			{"its retirement", withPatch, retiredPatch},
			{"its removal", retiredPatch, patchGone},
		} {
			for _, share := range []int{2, 3} {
				t.Run(fmt.Sprintf("%s, %s, one in %d", name, roll.name, share), func(t *testing.T) {
					t.Parallel()
					r := newRollout(t, c.code, c.with, roll.older, roll.newer)
					for _, id := range r.instances() {
						r.start(id, "Main", "1")
					}
					// Both builds run for fourteen minutes, with work all the time.
					for minute := range 14 {
						if minute >= 2 {
							for i, id := range r.instances() {
								if i%12 == minute-2 {
									r.raise(id, "e", "1", "e-"+id)
								}
							}
						}
						r.share(time.Minute, share)
						for _, id := range r.instances() {
							if rec, err := r.store.Describe(t.Context(), id); err == nil && (rec.Problem != nil || rec.Status == store.StatusFailed) {
								t.Fatalf("minute %d: %s is %s: %+v %+v", minute, id, rec.Status, rec.Problem, rec.Failure)
							}
						}
					}
					r.share(time.Hour, 1)
					for _, id := range r.instances() {
						r.expectStatus(id, store.StatusCompleted)
					}
					if n := r.observer.counts["delayed patch"]; n == 0 && roll.newer == withPatch || n > 0 && roll.newer == patchGone {
						t.Errorf("%d messages went round: %v", n, r.observer.counts)
					}
					r.expectDead()
					r.expectQuiet()
				})
			}
		}
	}
}

// If a process cached an instance before another process wrote the marker, its commit fails, or it
// finds the marker in the new events.
func TestV04AWarmProcessFindsAnUnknownMarker(t *testing.T) {
	t.Parallel()
	for _, warm := range []bool{true, false} {
		t.Run(fmt.Sprint("warm ", warm), func(t *testing.T) {
			t.Parallel()
			r := newRollout(t, func(ctx *engine.Context, in []byte, build int) ([]byte, error) {
				if _, err := ctx.Await(ctx.ExternalEvent("first")); err != nil {
					return nil, err
				}
				if _, err := patched(ctx, build); err != nil {
					return nil, err
				}
				return waits("e")(ctx, in)
			}, nil, beforePatch, withPatch)
			r.start("a", "Main", "1")
			r.share(time.Second, 0) // The old build has the instance in its cache.
			if !warm {
				r.processes[0].o.Close()
			}
			r.raise("a", "first", "1", "f-1")
			r.share(time.Second, 1)
			r.expectHistory("a", 1, "Started Sub(first) Ev(first) SystemCall Sub(e)")
			r.raise("a", "e", "1", "e-1")
			r.share(5*time.Minute, 0)
			r.expectHistory("a", 1, "Started Sub(first) Ev(first) SystemCall Sub(e)")
			if rec := r.record("a"); rec.Problem != nil {
				t.Fatalf("problem %+v", rec.Problem)
			}
			r.share(5*time.Minute, 1)
			r.expectOutput("a", "[1]")
			r.expectQuiet()
		})
	}
}

// After a rollback past a patch, the record says at once that the instance waits for a build with
// the patch, for as long as its messages are requeued. Soon after such a build has handled them,
// the record no longer says so.
func TestV04ARollbackPastAPatchIsRecordedAtOnce(t *testing.T) {
	t.Parallel()
	r := newRollout(t, func(ctx *engine.Context, in []byte, build int) ([]byte, error) {
		if _, err := patched(ctx, build); err != nil {
			return nil, err
		}
		if _, err := ctx.Await(ctx.ExternalEvent("e")); err != nil {
			return nil, err
		}
		return waits("e")(ctx, in)
	}, nil, beforePatch, withPatch)
	r.start("a", "Main", "1")
	r.share(time.Second, 1)
	if rec := r.record("a"); rec.Awaits != nil {
		t.Fatalf("before the rollback it waits for %+v", rec.Awaits)
	}
	rolledBack := r.clock.Now()
	r.raise("a", "e", "1", "e-1")
	r.share(time.Second, 0)
	rec := r.record("a")
	a := rec.Awaiting(r.clock.Now())
	if a == nil || a.Kind != "patch" || a.Patch != "p" || a.Message == "" || a.SinceMS < rolledBack.UnixMilli() || rec.Problem != nil {
		t.Fatalf("the record says %+v, %+v", a, rec.Problem)
	}
	since := a.SinceMS
	r.share(10*time.Minute, 0)
	rec = r.record("a")
	if a := rec.Awaiting(r.clock.Now()); a == nil || a.SinceMS != since {
		t.Errorf("minutes later the record says %+v, noted first at %d", a, since)
	}
	r.share(time.Hour, 1)
	rec = r.record("a")
	if a := rec.Awaiting(r.clock.Now()); a != nil || rec.Problem != nil {
		t.Errorf("when a build that has the patch has handled it, the record says %+v, %+v", a, rec.Problem)
	}
	r.raise("a", "e", "2", "e-2")
	r.share(time.Minute, 1)
	r.expectOutput("a", "[2]")
	r.expectQuiet()
}
