package turnstile_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

func TestP06WhatBecomesOfAChildWhenItsParentEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		policy turnstile.OrchestrationOption
		again  bool
		want   client.Status
	}{
		{"it is left by default", turnstile.ParentClosePolicy(turnstile.Abandon), false, client.StatusCompleted},
		{"it is cancelled", turnstile.ParentClosePolicy(turnstile.Cancel), false, client.StatusCancelled},
		{"it is terminated", turnstile.ParentClosePolicy(turnstile.Terminate), false, client.StatusTerminated},
		{"it is cancelled where the parent continues as new", turnstile.ParentClosePolicy(turnstile.Cancel), true, client.StatusCancelled},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			child := turnstile.NewOrchestration[int, int]("Child").With(turnstile.InstanceID("child"), c.policy)
			parent := turnstile.NewOrchestration[int, int]("Parent")
			e := start(t,
				child.Implement(func(ctx turnstile.Context, in int) (int, error) { return in, turnstile.Sleep(ctx, 30*24*time.Hour) }),
				parent.Implement(func(ctx turnstile.Context, in int) (int, error) {
					if in == 2 {
						return in, nil
					}
					child.Start(ctx, in)
					if err := turnstile.Sleep(ctx, time.Hour); err != nil || !c.again {
						return in, err
					}
					return in, parent.ContinueAsNew(ctx, 2)
				}))
			run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, parent, 1, client.WithInstanceID("parent")))
			ok[int](t)(run.Wait(e.ctx))
			if d := ok[client.Description](t)(e.client.Wait(e.ctx, "child")); d.Status != c.want {
				t.Errorf("the child is %s, want %s", d.Status, c.want)
			}
		})
	}
}

func TestAnUnknownParentClosePolicyIsRejected(t *testing.T) {
	t.Parallel()
	child := turnstile.NewOrchestration[int, int]("Child").With(turnstile.ParentClosePolicy(turnstile.Terminate + 1))
	parent := turnstile.NewOrchestration[int, string]("Parent")
	e := start(t, parent.Implement(func(ctx turnstile.Context, in int) (string, error) {
		_, err := child.Call(ctx, in)
		if !isInvalid(err) || !strings.Contains(err.Error(), "the policy is 3; it must be Abandon, Cancel or Terminate") {
			return "", differ("%v", err)
		}
		return "as said", nil
	}))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, parent, 1))
	if got := ok[string](t)(run.Wait(e.ctx)); got != "as said" {
		t.Error(got)
	}
}

func TestAFailedChildIsRetriedAsAnotherInstance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		fail     error
		id       string
		attempts []string
		delay    time.Duration
	}{
		{"derived ids", errors.New("no luck"), "", []string{"p/1/2", "p/1/6", "p/1/10"}, 30 * time.Second},
		{"an id of its own", errors.New("no luck"), "c", []string{"c", "c/2", "c/3"}, 30 * time.Second},
		{"a code that is final", turnstile.WithCode(errors.New("no"), "closed"), "c", []string{"c"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			child := turnstile.NewOrchestration[int, int]("Child")
			parent := turnstile.NewOrchestration[int, string]("Parent")
			call := child.With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 3, InitialInterval: 10 * time.Second, NonRetryableCodes: []string{"closed"}}), turnstile.InstanceID(c.id))
			note := turnstile.NewActivity[string, int]("Note")
			var attempts []string
			e := start(t,
				note.Implement(func(_ context.Context, id string) (int, error) { attempts = append(attempts, id); return 0, nil }),
				child.Implement(func(ctx turnstile.Context, _ int) (int, error) {
					if _, err := note.Call(ctx, turnstile.Info(ctx).Instance); err != nil {
						return 0, err
					}
					return 0, c.fail
				}),
				parent.Implement(func(ctx turnstile.Context, in int) (string, error) {
					_, err := call.Call(ctx, in)
					failed, isChild := errors.AsType[*turnstile.ChildError](err)
					if !isChild {
						return "", err
					}
					return failed.Instance, nil
				}))
			startedAt := e.Now()
			run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, parent, 1, client.WithInstanceID("p")))
			if last := ok[string](t)(run.Wait(e.ctx)); !slices.Equal(attempts, c.attempts) || last != attempts[len(attempts)-1] {
				t.Errorf("attempts %q, the last that failed is %q; want %q", attempts, last, c.attempts)
			}
			if took := e.Now().Sub(startedAt).Round(time.Second); took != c.delay {
				t.Errorf("it took %s, want %s", took, c.delay)
			}
		})
	}
}

// A child that returns the error of another cancellation has failed, so its retry policy starts
// another child. A child that was itself cancelled is not followed by another.
func TestK01AChildThatReturnsAnotherOnesCancellationIsTriedAgain(t *testing.T) {
	t.Parallel()
	deep := turnstile.NewOrchestration[string, int]("Deep")
	child := turnstile.NewOrchestration[string, int]("Child")
	parent := turnstile.NewOrchestration[string, int]("Parent")
	again := turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 3, InitialInterval: time.Hour})
	for _, end := range []struct {
		by   string
		kind turnstile.FailureKind
		call func(*client.Client, context.Context, string, string) error
	}{
		{"a cancel", turnstile.KindCancelled, (*client.Client).Cancel},
		{"a terminate", turnstile.KindTerminated, (*client.Client).Terminate},
	} {
		t.Run(end.by, func(t *testing.T) {
			e := arrange(t, nil,
				deep.Implement(func(ctx turnstile.Context, _ string) (int, error) {
					return 7, turnstile.Sleep(ctx, 24*time.Hour)
				}),
				child.Implement(func(ctx turnstile.Context, id string) (int, error) {
					n, err := deep.With(turnstile.InstanceID("deep of "+turnstile.Info(ctx).Instance)).Call(ctx, id)
					if failed, is := errors.AsType[*turnstile.ChildError](err); is && failed.Kind != end.kind {
						return 0, differ("the child that was ended gave %v", err)
					}
					return n, err
				}),
				parent.Implement(func(ctx turnstile.Context, in string) (int, error) {
					return child.With(again, turnstile.InstanceID("c")).Call(ctx, in)
				}))
			run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, parent, "", client.WithInstanceID("p")))
			e.AfterFunc(time.Hour, func() {
				if err := end.call(e.client, e.ctx, "deep of c", "by hand"); err != nil {
					t.Error(err)
				}
			})
			e.run()
			if n := ok[int](t)(run.Wait(e.ctx)); n != 7 {
				t.Errorf("the parent got %d", n)
			}
			first := ok[client.Description](t)(e.client.Describe(e.ctx, "c"))
			if first.Status != client.StatusFailed || first.Failure.Kind != string(turnstile.KindApplication) || first.Failure.Source != "Deep" {
				t.Errorf("the first attempt is %s, with %+v", first.Status, first.Failure)
			}
		})
	}
}

func TestTheDelaysOfChildrenAreTheSameOnReplay(t *testing.T) {
	t.Parallel()
	child := turnstile.NewOrchestration[int, int]("Child")
	parent := turnstile.NewOrchestration[int, int]("Parent")
	call := child.With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 4, InitialInterval: time.Hour, Jitter: 1}))
	parts := turnstile.Components{
		child.Implement(func(turnstile.Context, int) (int, error) { return 0, errors.New("no") }),
		parent.Implement(func(ctx turnstile.Context, in int) (int, error) { return call.Call(ctx, in) }),
	}
	e := start(t, parts)
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, parent, 1, client.WithInstanceID("p")))
	if _, err := run.Wait(e.ctx); err == nil {
		t.Fatal("it did not fail")
	}
	events := e.history("p")
	if turn := replay(t, turnstile.NewApp(parts), "p", events); turn.Stuck != nil || len(turn.Events) != 0 {
		t.Errorf("replayed: %+v", turn)
	}
}

func TestR04ANondeterminismErrorInARetryOfAChildNamesItsPlace(t *testing.T) {
	t.Parallel()
	child := turnstile.NewOrchestration[int, int]("Child")
	parent := turnstile.NewOrchestration[int, int]("Parent")
	call := child.With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 2}))
	part := func(n int) turnstile.Component {
		return parent.Implement(func(ctx turnstile.Context, _ int) (int, error) { return call.Call(ctx, n) })
	}
	e := start(t, part(1), child.Implement(func(_ turnstile.Context, n int) (int, error) { return n, nil }))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, parent, 0))
	ok[int](t)(run.Wait(e.ctx))
	turn := replay(t, turnstile.NewApp(part(2)), run.Instance, e.history(run.Instance))
	if turn.Stuck == nil || !strings.Contains(turn.Stuck.Message, "child_test.go:") {
		t.Errorf("the error is %v", turn.Stuck)
	}
}

// If the child's own code marks an error as final, no other child starts. An error that an activity
// of the child marked does not count.
func TestANonRetryableErrorEndsTheRetriesOfAChild(t *testing.T) {
	t.Parallel()
	closed := turnstile.NewActivity[int, int]("Closed")
	child := turnstile.NewOrchestration[string, int]("Child")
	parent := turnstile.NewOrchestration[string, int]("Parent")
	call := child.With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 3}))
	final := turnstile.NonRetryable(errors.New("the account is closed"))
	for in, want := range map[string]int64{"marked": 1, "wrapped": 1, "joined": 1, "plain": 3, "of an activity": 3} {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			var children atomic.Int64
			e := start(t,
				parent.Implement(func(ctx turnstile.Context, in string) (int, error) { return call.Call(ctx, in) }),
				closed.Implement(func(context.Context, int) (int, error) { return 0, final }),
				child.Implement(func(ctx turnstile.Context, in string) (int, error) {
					if _, err := turnstile.SideEffect(ctx, "count", func() (int64, error) { return children.Add(1), nil }); err != nil {
						return 0, err
					}
					switch in {
					case "marked":
						return 0, final
					case "wrapped":
						return 0, fmt.Errorf("not charged: %w", final)
					case "plain":
						return 0, errors.New("not now")
					case "joined":
						_, err := closed.Call(ctx, 1)
						return 0, errors.Join(err, final)
					}
					return closed.Call(ctx, 1)
				}))
			run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, parent, in))
			if _, err := run.Wait(e.ctx); err == nil {
				t.Error("it did not fail")
			}
			if n := children.Load(); n != want {
				t.Errorf("%d children, want %d", n, want)
			}
		})
	}
}

func TestTheTimeOfAnExecution(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[int, int]("Flow")
	release := turnstile.NewActivity[int, int]("Release")
	released := 0
	e := start(t,
		release.Implement(func(context.Context, int) (int, error) { released++; return 0, nil }),
		flow.With(turnstile.RunTimeout(48*time.Hour)).Implement(func(ctx turnstile.Context, days int) (int, error) {
			if err := turnstile.Sleep(ctx, time.Duration(days)*24*time.Hour); err != nil {
				if !errors.Is(err, turnstile.ErrTimeout) || errors.Is(err, turnstile.ErrCancelled) {
					return 0, fmt.Errorf("not a timeout: %w", err)
				}
				if _, err := release.Call(turnstile.WithoutCancel(ctx), 1); err != nil {
					return 0, err
				}
				return 0, err
			}
			return days, nil
		}))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, 3, client.WithInstanceID("slow")))
	if _, err := run.Wait(e.ctx); !errors.Is(err, turnstile.ErrTimeout) {
		t.Errorf("it ended with %v, want ErrTimeout", err)
	}
	if released != 1 {
		t.Errorf("its clean-up ran %d times", released)
	}
	run = ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, 1, client.WithInstanceID("fast")))
	if days := ok[int](t)(run.Wait(e.ctx)); days != 1 {
		t.Errorf("%d days", days)
	}
}

// P-03: a child whose id is in use.
func TestAChildWhoseIDIsTaken(t *testing.T) {
	t.Parallel()
	sum := turnstile.NewOrchestration[int, int]("Sum")
	other := turnstile.NewOrchestration[int, int]("Other")
	parent := turnstile.NewOrchestration[bool, int]("Parent")
	e := start(t,
		sum.Implement(func(ctx turnstile.Context, in int) (int, error) { return in + 1, turnstile.Sleep(ctx, time.Hour) }),
		other.Implement(func(ctx turnstile.Context, in int) (int, error) { return in, turnstile.Sleep(ctx, time.Hour) }),
		parent.Implement(func(ctx turnstile.Context, use bool) (int, error) {
			call := sum.With(turnstile.InstanceID("sum"))
			if use {
				call = call.With(turnstile.UseExisting())
			}
			return call.Call(ctx, 100)
		}))
	first := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, sum, 1, client.WithInstanceID("sum")))
	if err := first.WaitStarted(e.ctx); err != nil {
		t.Fatal(err)
	}
	fails := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, parent, false, client.WithInstanceID("fails")))
	uses := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, parent, true, client.WithInstanceID("uses")))
	if n := ok[int](t)(uses.Wait(e.ctx)); n != 2 {
		t.Errorf("the one that runs gave %d, want 2", n)
	}
	if _, err := fails.Wait(e.ctx); err == nil || !strings.Contains(err.Error(), "UseExisting") {
		t.Errorf("without the option: %v", err)
	}
	// The instance has ended by now.
	again := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, parent, true, client.WithInstanceID("again")))
	if n := ok[int](t)(again.Wait(e.ctx)); n != 2 {
		t.Errorf("the one that has ended gave %d, want 2", n)
	}
	// Clients may use it too, but not an instance of another orchestration.
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, sum, 7, client.WithInstanceID("sum"), client.UseExisting()))
	if n := ok[int](t)(run.Wait(e.ctx)); n != 2 || run.StartID != first.StartID {
		t.Errorf("a client's start gave %d by start %q, want 2 by %q", n, run.StartID, first.StartID)
	}
	fresh := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, sum.With(turnstile.UseExisting()), 7, client.WithInstanceID("fresh")))
	if n := ok[int](t)(fresh.Wait(e.ctx)); n != 8 || fresh.StartID != "" {
		t.Errorf("a client's start of a new one gave %d by start %q, want 8", n, fresh.StartID)
	}
	var ended *client.EndedError
	if _, err := client.Start(e.ctx, e.client, sum, 7, client.WithInstanceID("sum"), client.UseExisting(), client.WithEvent(turnstile.NewEvent[int]("e"), 1)); !errors.As(err, &ended) {
		t.Errorf("an event for an instance that has ended: %v", err)
	}
	var exists *client.AlreadyExistsError
	if _, err := client.Start(e.ctx, e.client, other, 7, client.WithInstanceID("sum"), client.UseExisting()); !errors.As(err, &exists) {
		t.Errorf("an instance of another orchestration: %v", err)
	}
}
