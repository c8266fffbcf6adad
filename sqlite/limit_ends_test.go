package sqlite_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
)

// An attempt that has a permit hears of the end of its instance within ten seconds, and the permit is
// free when its code returns: however the instance ends, and whether it is gone then or goes on.
// What is redriven waits in the line like others.
func TestAnEndedInstanceReturnsItsPermit(t *testing.T) {
	t.Parallel()
	terminate := func(t *testing.T, c *client.Client) {
		if err := c.Terminate(t.Context(), "a", "enough"); err != nil {
			t.Fatal(err)
		}
	}
	redrive := func(t *testing.T, c *client.Client) {
		if _, err := c.Redrive(t.Context(), client.RedriveRequest{Instance: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	for ends, c := range map[string]struct {
		end       func(t *testing.T, c *client.Client)
		continues bool
		fails     bool
		purging   bool
	}{
		"terminated": {end: terminate},
		"purged by force": {purging: true, end: func(t *testing.T, c *client.Client) {
			if err := c.Purge(t.Context(), "a", client.Force()); err != nil {
				t.Fatal(err)
			}
		}},
		"terminated and redriven": {continues: true, end: func(t *testing.T, c *client.Client) {
			terminate(t, c)
			time.Sleep(time.Second)
			redrive(t, c)
		}},
		"failed and redriven": {continues: true, fails: true, end: redrive},
	} {
		for name, database := range map[string]func(t *testing.T) []embedded.Option{
			"memory": func(*testing.T) []embedded.Option { return nil },
			"SQLite": func(t *testing.T) []embedded.Option { return []embedded.Option{embedded.WithDatabase(open(t))} },
		} {
			t.Run(ends+", "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					hold := turnstile.NewActivity[string, string]("hold").With(turnstile.Limit("k", 1), turnstile.AttemptTimeout(time.Hour))
					flow := turnstile.NewOrchestration[string, string]("Flow")
					pay := turnstile.NewActivity[string, string]("pay").With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 1}))
					var paid atomic.Bool
					begun := make(chan string, 8)
					goes := map[string]chan bool{"a": make(chan bool), "b": make(chan bool)}
					env, err := embedded.New(turnstile.NewApp(flow.Implement(func(ctx turnstile.Context, id string) (string, error) {
						held := hold.Start(ctx, id)
						if c.fails && id == "a" {
							if _, err := pay.Call(ctx, id); err != nil {
								return "", err
							}
						}
						return held.Await(ctx)
					}), hold.Implement(func(ctx context.Context, id string) (string, error) {
						begun <- id
						select {
						case <-ctx.Done():
						case <-goes[id]:
						}
						return id, ctx.Err()
					}), pay.Implement(func(context.Context, string) (string, error) {
						time.Sleep(5 * time.Second)
						if !paid.Swap(true) {
							return "", errors.New("the bank is down")
						}
						return "paid", nil
					})), database(t)...)
					if err != nil {
						t.Fatal(err)
					}
					ctx, stop := context.WithCancel(t.Context())
					ended := make(chan error, 1)
					go func() { ended <- env.Run(ctx) }()
					start := func(id string) {
						if _, err := client.Start(ctx, env.Client(), flow, id, client.WithInstanceID(id)); err != nil {
							t.Fatal(err)
						}
					}
					// holds waits until an attempt has the permit, and lets its code return if it is to.
					holds := func(id string, longest time.Duration, returns bool) {
						t.Helper()
						select {
						case got := <-begun:
							if got != id {
								t.Errorf("%s has the permit, and not %s", got, id)
							}
							if returns {
								goes[got] <- true
							}
						case <-time.After(longest):
							t.Errorf("%s has no permit after %s", id, longest)
						}
					}
					start("a")
					holds("a", time.Second, false)
					start("b")
					time.Sleep(6 * time.Second)
					c.end(t, env.Client())
					holds("b", 11*time.Second, false)
					if _, err := env.Client().Describe(ctx, "a"); c.purging != errors.Is(err, client.ErrNotFound) {
						t.Errorf("a is described with %v", err)
					}
					close(goes["b"])
					if c.continues {
						holds("a", 11*time.Second, true)
						if d, err := client.Attach(env.Client(), flow, "a").Wait(ctx); err != nil || d != "a" {
							t.Errorf("%q, %v", d, err)
						}
					}
					stop()
					if err := <-ended; err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}
