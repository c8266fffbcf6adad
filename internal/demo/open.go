package demo

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Options configure Open.
type Options struct {
	// Still stops all progress: the clock stands at the end of the story, and each run is
	// the same. Actions are sent but not processed.
	Still bool
	// Every is the time between two new orders that Open starts; 0 for none.
	Every time.Duration
}

// Open returns the console of the story. Background work stops when ctx ends.
func Open(ctx context.Context, o Options, options ...console.Option) (http.Handler, error) {
	if o.Still {
		w, err := Make(Epoch)
		if err != nil {
			return nil, err
		}
		own, err := w.Options()
		if err != nil {
			return nil, err
		}
		return console.Handler(w.Client, append(own, options...)...)
	}
	env, err := embedded.New(App(300*time.Millisecond, nil))
	if err != nil {
		return nil, err
	}
	w, err := Make(time.Now().UTC().Add(-Span))
	if err != nil {
		return nil, err
	}
	if err := w.CopyTo(ctx, env.Store()); err != nil {
		return nil, err
	}
	go func() {
		if err := env.Run(ctx); err != nil {
			slog.Error("demo", "error", err)
		}
	}()
	for _, body := range []string{"<script>document.title='owned'</script>", `{"v":9,"kind":"Tomorrow"}`, `{"v":1,"kind":"TimerFired","instance":"order-9","execution_id":1,"source_event_id":5,"fire_at_ms":1,"token":"` + Token + `"}`,
		`{"v":1,"kind":"StartOrchestration","instance":"` + Failed + `","name":"Fulfil","id":"too-far","on_conflict":"redrive","origin":{"instance":"` + Failed + `","event_id":999}}`} {
		if err := env.Send(ctx, body); err != nil {
			return nil, err
		}
	}
	go orderAgain(ctx, env.Client(), o.Every)
	return console.Handler(env.Client(), slices.Concat(env.ConsoleOptions(), []console.Option{console.WithPlace(api.Place{Kind: "embedded"})}, options)...)
}

// Options returns those for a console of the world. Each call makes new dead letters, for
// consoles that redrive them.
func (w *World) Options() ([]console.Option, error) {
	dead, err := DeadLetters(w.Now)
	return []console.Option{
		console.WithClock(func() time.Time { return w.Now }), console.WithPlace(api.Place{Kind: "embedded"}),
		console.WithDeadLetters(dead, 0), console.WithQueues(queuesOf(dead)),
	}, err
}

// orderAgain starts an order at intervals, and approves most of them.
func orderAgain(ctx context.Context, c *client.Client, every time.Duration) {
	if every <= 0 {
		return
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := 1; ; n++ {
		id := fmt.Sprintf("live-%d", n)
		if _, err := client.Start(ctx, c, orders.Fulfil, Order(id, n), client.WithInstanceID(id)); err != nil {
			slog.Error("demo", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n%3 != 0 {
			if err := client.Raise(ctx, c, orders.Approved, id, orders.Approval{By: "Grace", Approved: n%4 != 0}); err != nil {
				slog.Error("demo", "error", err)
			}
		}
	}
}
