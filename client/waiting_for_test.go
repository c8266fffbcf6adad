package client_test

import (
	"context"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
)

func TestP02WhatAnInstanceWaitsForLeadsToItsStuckChild(t *testing.T) {
	t.Parallel()
	child := turnstile.NewOrchestration[int, int]("Child")
	parent := turnstile.NewOrchestration[int, int]("Parent")
	work := turnstile.NewActivity[int, int]("Work")
	lost, asked := turnstile.NewEvent[int]("lost"), turnstile.NewEvent[int]("asked")
	e := arrange(t, nil,
		work.Implement(func(context.Context, int) (int, error) { return 0, turnstile.ErrPending }),
		child.Implement(func(turnstile.Context, int) (int, error) { panic("no such thing") }),
		parent.Implement(func(ctx turnstile.Context, in int) (int, error) {
			// A lost race leaves nothing open but the wait.
			if _, err := turnstile.Select(ctx, work.Start(ctx, 1), turnstile.After(ctx, time.Minute), turnstile.After(ctx, time.Hour)); err != nil {
				return 0, err
			}
			c := child.With(turnstile.InstanceID("c")).Start(ctx, in)
			if _, err := lost.Wait(ctx); err != nil {
				return 0, err
			}
			turnstile.After(ctx.WithLabel("last call"), 1000*time.Hour)
			work.Start(ctx, 2)
			wait := asked.Next(ctx)
			if _, err := wait.Await(ctx); err != nil {
				return 0, err
			}
			return c.Await(ctx)
		}))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, parent, 1, client.WithInstanceID("p")))
	_ = run
	looked := make(chan struct{})
	e.AfterFunc(2*time.Minute, func() {
		if err := client.Raise(e.ctx, e.client, lost, "p", 1); err != nil {
			t.Error(err)
		}
	})
	e.AfterFunc(30*time.Minute, func() { close(looked) })
	e.run()
	<-looked
	open := ok[[]client.PendingOperation](t)(e.client.PendingOperations(e.ctx, "p"))
	want := []history.Kind{history.SubOrchestrationScheduled, history.TimerCreated, history.ActivityScheduled, history.ExternalSubscribed}
	if len(open) != len(want) {
		t.Fatalf("%d operations are open: %+v", len(open), open)
	}
	for i := range want {
		if open[i].Kind != want[i] {
			t.Errorf("operation %d is %s, want %s", i, open[i].Kind, want[i])
		}
	}
	if c := open[0]; c.Instance != "c" || c.Child == nil || c.Child.Status != client.StatusStuck || c.Child.Problem == nil {
		t.Errorf("the child is %+v", c)
	}
	if open[0].Label != "" || open[1].Label != "last call" {
		t.Errorf("the labels are %q and %q", open[0].Label, open[1].Label)
	}
	if due := open[1].DueAt.Sub(open[1].ScheduledAt); due != 1000*time.Hour {
		t.Errorf("the timer is due after %s", due)
	}
	if open[2].Name != "Work" || open[3].Name != "asked" {
		t.Errorf("the activity is %q, the event %q", open[2].Name, open[3].Name)
	}
	if _, err := e.client.PendingOperations(e.ctx, "nobody"); err == nil {
		t.Error("nobody waits for nothing")
	}
}
