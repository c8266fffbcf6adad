package client_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// families has an orchestration that starts children to a depth, and goes on as new once; a
// child that waits; and one that uses an instance which others have.
func families() *turnstile.App {
	waits := turnstile.NewEvent[turnstile.None]("go")
	family := turnstile.NewOrchestration[int, int]("Family")
	return turnstile.NewApp(family.Implement(func(ctx turnstile.Context, depth int) (int, error) {
		switch {
		case depth < 0:
			_, err := waits.Wait(ctx)
			return 0, err
		case depth == 0:
			return 0, nil
		}
		id := turnstile.Info(ctx).Instance
		for _, c := range []struct {
			id    string
			depth int
		}{{id + ".1", depth - 1}, {id + ".2", 0}} {
			if _, err := family.With(turnstile.InstanceID(c.id)).Call(ctx, c.depth); err != nil {
				return 0, err
			}
		}
		if depth == 2 {
			return 0, family.ContinueAsNew(ctx, 0)
		}
		return depth, nil
	}))
}

// O-04: a purge with children takes those of all executions, and theirs, but not what others
// have started.
func TestO04APurgeWithChildrenTakesTheFamily(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, families())
	family := turnstile.NewOrchestration[int, int]("Family")
	for _, c := range []struct {
		id    string
		depth int
	}{{"a", 3}, {"a.3", 1}} {
		if _, err := turnstiletest.Start(env, family, c.depth, client.WithInstanceID(c.id)).Wait(); err != nil {
			t.Fatal(err)
		}
	}
	if err := env.Client().Purge(t.Context(), "a", client.WithChildren()); err != nil {
		t.Fatal(err)
	}
	env.Run()
	for id, gone := range map[string]bool{"a": true, "a.1": true, "a.2": true, "a.1.1": true, "a.1.2": true, "a.1.1.1": true, "a.1.1.2": true, "a.3": false, "a.3.1": false} {
		_, err := env.Client().Describe(t.Context(), id)
		if is := errors.Is(err, client.ErrNotFound); is != gone {
			t.Errorf("%s: purged %t (%v), want %t", id, is, err, gone)
		}
	}
	// Once more is harmless: the histories of the instance are deleted, if that was not done.
	if err := env.Client().Purge(t.Context(), "a", client.WithChildren()); err != nil {
		t.Error(err)
	}
}

// O-04: where one of the family runs, nothing is purged without force.
func TestO04APurgeWithChildrenTakesNothingWhileOneRuns(t *testing.T) {
	t.Parallel()
	abandoning := turnstile.NewOrchestration[int, int]("Abandoning")
	waiting := turnstile.NewOrchestration[int, int]("Waiting")
	waits := turnstile.NewEvent[turnstile.None]("go")
	env := turnstiletest.New(t, turnstile.NewApp(
		waiting.Implement(func(ctx turnstile.Context, _ int) (int, error) { _, err := waits.Wait(ctx); return 0, err }),
		abandoning.Implement(func(ctx turnstile.Context, n int) (int, error) {
			for i := range n {
				waiting.With(turnstile.InstanceID(fmt.Sprint("w", i)), turnstile.ParentClosePolicy(turnstile.Abandon)).Start(ctx, i)
			}
			return 0, nil
		})))
	if _, err := turnstiletest.Start(env, abandoning, 2, client.WithInstanceID("a")).Wait(); err != nil {
		t.Fatal(err)
	}
	env.Run()
	err := env.Client().Purge(t.Context(), "a", client.WithChildren())
	if running, is := errors.AsType[*client.StillRunningError](err); !is || running.Instance != "w0" {
		t.Fatalf("the purge gives %v", err)
	}
	env.Run()
	if _, err := env.Client().Describe(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if err := env.Client().Purge(t.Context(), "a", client.WithChildren(), client.Force()); err != nil {
		t.Fatal(err)
	}
	env.Run()
	for _, id := range []string{"a", "w0", "w1"} {
		if _, err := env.Client().Describe(t.Context(), id); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("%s is there: %v", id, err)
		}
	}
}
