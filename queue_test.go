package turnstile_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/host"
)

func TestAnUrgentQueueIsServedWhileTheOtherIsFull(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	slow := turnstile.NewActivity[int, int]("Slow")
	urgent := turnstile.NewActivity[int, int]("Urgent").With(turnstile.Queue("urgent"))
	flow := turnstile.NewOrchestration[int, int]("Flow")
	e := start(t,
		slow.Implement(func(ctx context.Context, n int) (int, error) {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return n, nil
		}),
		urgent.Implement(func(_ context.Context, n int) (int, error) { close(release); return 2 * n, nil }),
		flow.Implement(func(ctx turnstile.Context, n int) (int, error) {
			var all []turnstile.Future[int]
			for i := range n { // more than there are workers
				all = append(all, slow.Start(ctx, i))
			}
			got, err := urgent.Call(ctx, n)
			if err == nil {
				_, err = turnstile.Join(ctx, all...)
			}
			return got, err
		}))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, 30))
	if got := ok[int](t)(run.Wait(e.ctx)); got != 60 {
		t.Errorf("%d, want 60", got)
	}
	if r := e.history(run.Instance)[31].Retry; r == nil || r.Queue != "urgent" {
		t.Errorf("recorded is %+v", r)
	}
}

func TestAnAttemptForAnUnservedQueueWaitsAndIsNotLost(t *testing.T) {
	t.Parallel()
	var made atomic.Int32
	work := turnstile.NewActivity[int, int]("Work")
	flow := turnstile.NewOrchestration[int, string]("Flow")
	e := start(t,
		work.Implement(func(_ context.Context, n int) (int, error) { made.Add(1); return n, nil }),
		flow.Implement(func(ctx turnstile.Context, n int) (string, error) {
			// The name is only given at the call, so no worker serves the queue.
			_, err := work.With(turnstile.Queue("gpu"), turnstile.TotalTimeout(time.Hour)).Call(ctx, n)
			failed, _ := errors.AsType[*turnstile.ActivityError](err)
			if failed == nil {
				return "", err
			}
			return string(failed.Kind), nil
		}))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, flow, 1))
	got := ok[string](t)(run.Wait(e.ctx))
	if took := e.Now().Sub(epoch); got != string(turnstile.KindTotalTimeout) || took < time.Hour || took > time.Hour+time.Minute || made.Load() != 0 {
		t.Errorf("it ended with %q after %s, %d attempts were made; want a total timeout after an hour and none", got, took, made.Load())
	}
}

func TestTenAttemptsOfAFairTenantAreNotHeldUpByTwoThousandOfAnother(t *testing.T) {
	t.Parallel()
	const many, few = 2000, 10
	work := turnstile.NewActivity[string, int]("Work")
	open := turnstile.NewActivity[int, int]("Open").With(turnstile.Queue("gate"))
	flow := turnstile.NewOrchestration[int, int]("Flow")
	var before atomic.Int32 // attempts of the other tenant before the last attempt of the small one
	var left atomic.Int32
	left.Store(few)
	gate := make(chan struct{})
	// One worker runs the attempts in the order of the queue.
	e := arrange(t, []embedded.Option{embedded.WithWorkers(1)},
		work.Implement(func(ctx context.Context, tenant string) (int, error) {
			<-gate
			switch {
			case tenant == "few":
				left.Add(-1)
			case left.Load() > 0:
				before.Add(1)
			}
			return 0, nil
		}),
		open.Implement(func(context.Context, int) (int, error) { close(gate); return 0, nil }),
		flow.Implement(func(ctx turnstile.Context, _ int) (int, error) {
			var all []turnstile.Future[int]
			for range many {
				all = append(all, work.With(turnstile.FairnessKey("many")).Start(ctx, "many"))
			}
			for range few {
				all = append(all, work.With(turnstile.FairnessKey("few")).Start(ctx, "few"))
			}
			// This attempt is sent last: all others wait when it runs.
			all = append(all, open.Start(ctx, 0))
			_, err := turnstile.Join(ctx, all...)
			return len(all), err
		}))
	e.run()
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, 0))
	ok[int](t)(run.Wait(e.ctx))
	// The worker has one of the attempts that arrived first; then keys take turns.
	if n := before.Load(); n > few+1 {
		t.Errorf("%d attempts of the tenant with %d were made before the last of the tenant with %d, want at most %d", n, many, few, few+1)
	}
}

func TestWrongQueuesAndKeysAreRefusedWhereTheyAreDeclared(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		option turnstile.ActivityOption
		want   string
	}{
		"no name":                 {turnstile.Queue(""), "is empty"},
		"an upper-case letter":    {turnstile.Queue("GPU"), "is not lower-case letters, digits and hyphens"},
		"a digit first":           {turnstile.Queue("1a"), "beginning with a letter"},
		"a hyphen last":           {turnstile.Queue("a-"), "not ending with a hyphen"},
		"a name of 41 characters": {turnstile.Queue(strings.Repeat("a", 41)), "has 41 characters; the maximum is 40"},
		"a name":                  {turnstile.Queue("gpu-2"), ""},
		"the default":             {turnstile.Queue("default"), ""},
		"no key":                  {turnstile.FairnessKey(""), "is empty"},
		"a key of 10 kB":          {turnstile.FairnessKey(strings.Repeat("x", 10_000)), "has 10000 bytes"},
		"a key":                   {turnstile.FairnessKey("Müller & Söhne"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := turnstile.NewApp(turnstile.NewActivity[int, int]("Work").With(c.option).Implement(doubled)).Err()
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if _, is := errors.AsType[*turnstile.InvalidArgumentError](err); c.want != "" && !is {
				t.Errorf("%v is no InvalidArgumentError", err)
			}
		})
	}
	for name, workers := range map[string]int{"gpu": 0, "GPU": 1, "default": 1} {
		if _, err := embedded.New(turnstile.NewApp(), embedded.WithQueue(name, workers)); err == nil || !strings.Contains(fmt.Sprint(err), "WithQueue") {
			t.Errorf("WithQueue(%q, %d): %v", name, workers, err)
		}
	}
}

// An attempt that waits for a permit is called, whatever queue its message is in.
func TestALimitIsOneOverActivitiesOfSeveralQueues(t *testing.T) {
	t.Parallel()
	one := turnstile.Limit("one", 1)
	here := turnstile.NewActivity[int, int]("Here").With(one)
	there := turnstile.NewActivity[int, int]("There").With(one, turnstile.Queue("gpu"))
	flow := turnstile.NewOrchestration[int, int]("Flow")
	var running, most atomic.Int32
	work := func(_ context.Context, n int) (int, error) {
		most.Store(max(most.Load(), running.Add(1)))
		runtime.Gosched()
		running.Add(-1)
		return n, nil
	}
	var calls permitCounts
	// In real time, because in virtual time all receipts of a message have the same age.
	rt := ok[*embedded.Runtime](t)(embedded.New(turnstile.NewApp(here.Implement(work), there.Implement(work), flow.Implement(func(ctx turnstile.Context, n int) (int, error) {
		var all []turnstile.Future[int]
		for i := range n {
			all = append(all, here.Start(ctx, i), there.Start(ctx, i))
		}
		_, err := turnstile.Join(ctx, all...)
		return n, err
	})), embedded.WithObserver(&calls)))
	e := &env{Runtime: rt, t: t, client: rt.Client(), ctx: t.Context()}
	e.run()
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, 6))
	ok[int](t)(run.Wait(e.ctx))
	if most.Load() != 1 {
		t.Errorf("%d ran at a time, want one", most.Load())
	}
	// Half of the waiting attempts are in another queue than the attempt that frees the permit.
	if waits, called := calls.waits.Load(), calls.called.Load(); called*4 < waits*3 {
		t.Errorf("of %d that waited %d were called", waits, called)
	}
}

// permitCounts counts the attempts that waited for a permit, and the attempts that were called.
type permitCounts struct {
	host.NoObserver
	waits, called atomic.Int32
}

func (c *permitCounts) Count(of host.Counter, word string, n int) {
	switch {
	case of != host.CountPermits:
	case word == "waits":
		c.waits.Add(int32(n))
	case word == "called":
		c.called.Add(int32(n))
	}
}
