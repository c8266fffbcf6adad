package guide_test

import (
	"context"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

var (
	payout   = turnstile.NewOrchestration[string, string]("Payout")
	approval = turnstile.NewEvent[string]("approval")
	book     = turnstile.NewActivity[string, string]("Book")
)

// holdPayouts suspends each running payout, because the bank is down.
func holdPayouts(ctx context.Context, c *client.Client) (held []string, err error) {
	q := client.ListQuery{Name: payout.Name(), Status: client.StatusRunning}
	for {
		page, err := c.List(ctx, q)
		if err != nil {
			return held, err
		}
		for _, d := range page.Instances {
			if err := c.Suspend(ctx, d.Instance, "the bank is down"); err != nil {
				return held, err // *client.EndedError if it has ended since
			}
			held = append(held, d.Instance)
		}
		if q.PageToken = page.NextPageToken; q.PageToken == "" {
			return held, nil
		}
	}
}

// releasePayout lets a payout continue.
func releasePayout(ctx context.Context, c *client.Client, instance string) error {
	return c.Resume(ctx, instance, "the bank is back")
}

func payouts() *turnstile.App {
	return turnstile.NewApp(
		payout.Implement(func(ctx turnstile.Context, account string) (string, error) {
			said, err := approval.Wait(ctx)
			if err != nil {
				return "", err
			}
			if err := turnstile.Sleep(ctx, time.Hour); err != nil {
				return "", err
			}
			return book.Call(ctx, account+" "+said)
		}),
		book.Implement(func(_ context.Context, in string) (string, error) { return "booked " + in, nil }))
}

func TestTheSuspendExampleHoldsPayoutsAndLosesNothing(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, payouts())
	run := turnstiletest.Start(env, payout, "a-1", client.WithInstanceID("payout-1"))
	env.After(time.Minute, func() {
		if held, err := holdPayouts(t.Context(), env.Client()); err != nil || len(held) != 1 {
			t.Errorf("held are %v, %v", held, err)
		}
	})
	env.After(2*time.Minute, func() { turnstiletest.Raise(env, approval, "payout-1", "by ada") })
	env.After(24*time.Hour, func() {
		d, err := env.Client().Describe(t.Context(), "payout-1")
		if err != nil || d.Status != client.StatusSuspended || d.Suspension.Reason != "the bank is down" {
			t.Errorf("it is %+v, %v", d, err)
		}
		if err := releasePayout(t.Context(), env.Client(), "payout-1"); err != nil {
			t.Error(err)
		}
	})
	if out, err := run.Wait(); err != nil || out != "booked a-1 by ada" {
		t.Errorf("it came to %q, %v", out, err)
	}
	want := "Started Sub(approval) Suspended Ev(approval) Resumed Timer(1h0m0s) Fired←6 Act(Book) Done←8 Completed"
	if got := run.History().String(); got != want {
		t.Errorf("its history is %s, want %s", got, want)
	}
}

// What the page says that a suspend and a resume cost.
func TestASuspendAndAResumeCostWhatThePageSays(t *testing.T) {
	t.Parallel()
	cost := func(suspends bool) (requests int, dollars float64) {
		env := turnstiletest.New(t, payouts())
		run := turnstiletest.Start(env, payout, "a-1", client.WithInstanceID("payout-1"))
		if suspends {
			env.After(time.Minute, func() { _ = env.Client().Suspend(t.Context(), "payout-1", "the bank is down") })
			env.After(2*time.Minute, func() { _ = env.Client().Resume(t.Context(), "payout-1", "the bank is back") })
		}
		env.After(3*time.Minute, func() { turnstiletest.Raise(env, approval, "payout-1", "by ada") })
		if _, err := run.Wait(); err != nil {
			t.Fatal(err)
		}
		b := env.Bill()
		return b.Requests(), b.Dollars()
	}
	without, least := cost(false)
	with, most := cost(true)
	t.Logf("a suspend and a resume: %d requests, $%.2f a million", with-without, (most-least)*1e6)
	if with-without != 14 || (most-least)*1e6 > 15 {
		t.Errorf("a suspend and a resume cost %d requests and $%.2f a million; docs/internal/guide-figures.md says otherwise", with-without, (most-least)*1e6)
	}
}

// bookLater books a payout tomorrow, at nine.
func bookLater(ctx context.Context, c *client.Client, account string, tomorrow time.Time) error {
	_, err := client.Start(ctx, c, payout, account,
		client.WithInstanceID("payout-"+account),
		client.StartAt(tomorrow.Add(9*time.Hour)))
	return err
}

// postpone delays it by a day.
func postpone(ctx context.Context, c *client.Client, account string) error {
	d, err := c.Describe(ctx, "payout-"+account)
	if err != nil || d.Status != client.StatusScheduled {
		return err
	}
	return c.Reschedule(ctx, d.Instance, time.UnixMilli(d.Suspension.UntilMS).AddDate(0, 0, 1))
}

func TestTheExampleOfADelayedStartStartsADayLater(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, payouts())
	tomorrow := env.Now().Truncate(24*time.Hour).AddDate(0, 0, 1)
	if err := bookLater(t.Context(), env.Client(), "a-2", tomorrow); err != nil {
		t.Fatal(err)
	}
	env.After(time.Minute, func() {
		if err := postpone(t.Context(), env.Client(), "a-2"); err != nil {
			t.Error(err)
		}
		turnstiletest.Raise(env, approval, "payout-a-2", "by ada")
	})
	env.Run()
	events, err := env.Client().History(t.Context(), "payout-a-2", 0)
	if err != nil {
		t.Fatal(err)
	}
	want := "Started Suspended Suspended Ev(approval) Resumed Sub(approval) Timer(1h0m0s) Fired←7 Act(Book) Done←9 Completed"
	if got := turnstiletest.History(events).String(); got != want {
		t.Fatalf("its history is %s, want %s", got, want)
	}
	if startedAt := time.UnixMilli(events[4].AtMS); !startedAt.Equal(tomorrow.AddDate(0, 0, 1).Add(9 * time.Hour)) {
		t.Errorf("it began at %s", startedAt)
	}
}

// What the page says that a delayed start costs.
func TestADelayedStartCostsWhatThePageSays(t *testing.T) {
	t.Parallel()
	cost := func(options ...client.StartOption) (requests int, dollars float64) {
		env := turnstiletest.New(t, payouts())
		run := turnstiletest.Start(env, payout, "a-1", append(options, client.WithInstanceID("payout-1"))...)
		env.After(3*time.Hour, func() { turnstiletest.Raise(env, approval, "payout-1", "by ada") })
		if _, err := run.Wait(); err != nil {
			t.Fatal(err)
		}
		b := env.Bill()
		return b.Requests(), b.Dollars()
	}
	without, least := cost()
	with, most := cost(client.StartAfter(2 * time.Hour))
	t.Logf("a delayed start: %d requests, $%.2f a million", with-without, (most-least)*1e6)
	if with-without != 9 || (most-least)*1e6 > 8.5 {
		t.Errorf("a delayed start costs %d requests and $%.2f a million; docs/internal/guide-figures.md says otherwise", with-without, (most-least)*1e6)
	}
}
