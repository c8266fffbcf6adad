package guide_test

import (
	"context"
	"errors"
	"log"
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	prices "github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// continueFailed redrives a failed instance. First it logs the work that will start again.
func continueFailed(ctx context.Context, c *client.Client, id string) error {
	plan, err := c.Redrive(ctx, client.RedriveRequest{Instance: id, DryRun: true})
	if err != nil {
		return err
	}
	for _, work := range plan.Rescheduled {
		log.Printf("event %d, %s %s, starts again: it was %s", work.EventID, work.Kind, work.Name, work.Why)
	}
	_, err = c.Redrive(ctx, client.RedriveRequest{Instance: id, Reason: "the printer has paper again"})
	return err
}

func TestTheExampleOfRedriveRunsNothingTwiceThatCompleted(t *testing.T) {
	t.Parallel()
	var (
		parcel  = turnstile.NewOrchestration[string, string]("Parcel")
		pack    = turnstile.NewActivity[string, string]("Pack")
		label   = turnstile.NewActivity[string, string]("Label")
		packed  int
		labels  int
		noPaper = true
	)
	e, err := embedded.New(turnstile.NewApp(
		pack.Implement(func(_ context.Context, in string) (string, error) { packed++; return in, nil }),
		label.Implement(func(_ context.Context, in string) (string, error) {
			labels++
			if noPaper {
				return "", turnstile.NonRetryable(errors.New("out of paper"))
			}
			return "label of " + in, nil
		}),
		parcel.Implement(func(ctx turnstile.Context, in string) (string, error) {
			box, err := pack.Call(ctx, in)
			if err != nil {
				return "", err
			}
			return label.Call(ctx, box)
		})), embedded.WithVirtualTime(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	defer func() { stop(); <-ended }()

	c := e.Client()
	run, err := client.Start(ctx, c, parcel, "a book", client.WithInstanceID("p-1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(ctx); err == nil {
		t.Fatal("it did not fail")
	}
	noPaper = false
	if err := continueFailed(ctx, c, "p-1"); err != nil {
		t.Fatal(err)
	}
	run.PreviousExecution = 1
	run.StartID = ""
	got, err := run.Wait(ctx)
	if err != nil || got != "label of a book" || packed != 1 || labels != 2 {
		t.Errorf("%q, %v; packed %d times, labelled %d times", got, err, packed, labels)
	}
	if _, err := c.Redrive(ctx, client.RedriveRequest{Instance: "p-1"}); !errors.As(err, new(*client.RedriveError)) {
		t.Errorf("of what has completed: %v", err)
	}
}

// What the page says that a redrive costs, by how many events are taken over. The activity
// that starts anew, and the code behind it, are part of it. With TURNSTILE_REDRIVE_STEPS=5000
// it measures one of 10,000 events, which takes a minute to make.
func TestARedriveCostsAsMuchAsThePageSays(t *testing.T) {
	t.Parallel()
	cost := func(steps int) (b prices.Bill, took time.Duration) {
		var (
			long   = turnstile.NewOrchestration[int, int]("Long")
			step   = turnstile.NewActivity[int, int]("Step")
			broken = true
		)
		env := turnstiletest.New(t, turnstile.NewApp(
			step.Implement(func(_ context.Context, n int) (int, error) {
				if n == steps && broken {
					return 0, turnstile.NonRetryable(errors.New("broken"))
				}
				return n, nil
			}),
			long.Implement(func(ctx turnstile.Context, steps int) (int, error) {
				for n := range steps {
					if _, err := step.Call(ctx, n+1); err != nil {
						return 0, err
					}
				}
				return steps, nil
			})), turnstiletest.WithMaxBatches(100*steps+1000))
		run := turnstiletest.Start(env, long, steps, client.WithInstanceID("long"))
		if _, err := run.Wait(); err == nil {
			t.Fatal("it did not fail")
		}
		broken = false
		before := env.Bill()
		startedAt := time.Now()
		r, err := env.Client().Redrive(t.Context(), client.RedriveRequest{Instance: "long"})
		if err != nil || r.CopiedEvents != int64(2*steps) {
			t.Fatalf("%+v, %v", r, err)
		}
		env.Run()
		took = time.Since(startedAt)
		if d, err := env.Client().Describe(t.Context(), "long"); err != nil || d.Status != client.StatusCompleted || d.ExecutionID != 2 {
			t.Fatalf("%+v, %v", d, err)
		}
		return env.Bill().Minus(before), took
	}
	type page struct{ dollars, written, read float64 }
	pages := map[int]page{1: {0.00002, 17, 8}, 500: {0.00004, 29, 52}}
	if n, err := strconv.Atoi(os.Getenv("TURNSTILE_REDRIVE_STEPS")); err == nil {
		pages[n] = page{math.Inf(1), math.Inf(1), math.Inf(1)}
	}
	for steps, most := range pages {
		b, took := cost(steps)
		t.Logf("%d events taken over: %d requests, %.1f units written, %.1f read, $%.6f, %s",
			2*steps, b.Requests(), b.Of(prices.WriteUnits), b.Of(prices.ReadUnits), b.Dollars(), took)
		if b.Requests() != 21 || b.Dollars() > most.dollars || b.Of(prices.WriteUnits) > most.written || b.Of(prices.ReadUnits) > most.read {
			t.Errorf("a redrive of %d events costs more than docs/internal/guide-figures.md says", 2*steps)
		}
	}
}
