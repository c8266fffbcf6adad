package sqlite_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
)

// Twenty instances start under a limit of two, side by side; all run, two at a time.
func TestInstancesRunUnderALimit(t *testing.T) {
	t.Parallel()
	const most = 2
	visit := turnstile.NewOrchestration[string, int]("Visit")
	stay := turnstile.NewActivity[string, turnstile.None]("stay")
	var inside, visits atomic.Int32
	app := turnstile.NewApp(visit.With(turnstile.Limit("k", most)).Implement(func(ctx turnstile.Context, key string) (int, error) {
		for range 3 { // An instance that is beside two others is so in one of them.
			if _, err := stay.Call(ctx, key); err != nil {
				return 0, err
			}
		}
		return 3, nil
	}), stay.Implement(func(context.Context, string) (turnstile.None, error) {
		defer inside.Add(-1)
		visits.Add(1)
		if n := inside.Add(1); n > most {
			t.Errorf("%d are inside", n)
		}
		return turnstile.None{}, nil
	}))
	env, err := embedded.New(app, embedded.WithDatabase(open(t)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()
	const all = 20
	var runs []*client.Run[int]
	for i := range all {
		run, err := client.Start(ctx, env.Client(), visit, "k", client.WithInstanceID(fmt.Sprint("visit-", i)))
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	for _, run := range runs {
		if _, err := run.Wait(ctx); err != nil {
			t.Error(err)
		}
	}
	if n := visits.Load(); n < 3*all {
		t.Errorf("%d activities have run", n)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
