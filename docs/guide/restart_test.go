package guide_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

type month struct{ Customer, Month string }

var bill = turnstile.NewOrchestration[month, string]("Bill")

// billAgain bills a customer once a month: the id is the customer's, and the run of the
// month before has ended.
func billAgain(ctx context.Context, c *client.Client, in month) (string, error) {
	run, err := client.Start(ctx, c, bill, in,
		client.WithInstanceID("bill-"+in.Customer),
		client.WithDeduplicationID(in.Month),
		client.AllowRestart())
	if err != nil {
		return "", err // *client.AlreadyExistsError while the last run has not ended
	}
	return run.Wait(ctx)
}

// tryAgain restarts a failed instance from the beginning, with the same input.
func tryAgain(ctx context.Context, c *client.Client, id string) error {
	_, err := c.Restart(ctx, client.RestartRequest{Instance: id})
	return err
}

func TestTheExampleOfRestartBillsEachMonthOnce(t *testing.T) {
	t.Parallel()
	billed, broken := []string{}, true
	e, err := embedded.New(turnstile.NewApp(bill.Implement(func(ctx turnstile.Context, in month) (string, error) {
		if in.Month == "April" && broken {
			broken = false
			return "", errors.New("the printer is out of paper")
		}
		billed = append(billed, in.Month)
		return in.Month, nil
	})), embedded.WithVirtualTime(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	defer func() { stop(); <-ended }()

	c := e.Client()
	for _, name := range []string{"March", "March", "April"} {
		got, err := billAgain(ctx, c, month{"c-1", name})
		if (err != nil) != (name == "April") || err == nil && got != name {
			t.Fatalf("%s: %q, %v", name, got, err)
		}
	}
	if err := tryAgain(ctx, c, "bill-c-1"); err != nil {
		t.Fatal(err)
	}
	for {
		d, err := c.Wait(ctx, "bill-c-1")
		if err != nil {
			t.Fatal(err)
		}
		if d.ExecutionID == 3 {
			break
		}
	}
	if len(billed) != 2 || billed[0] != "March" || billed[1] != "April" {
		t.Errorf("billed were %v", billed)
	}
}

// What the internal page says that a start costs which begins an ended instance again, beside one that
// starts another instance.
func TestAStartThatRestartsCostsWhatThePageSays(t *testing.T) {
	t.Parallel()
	cost := func(second string, options ...client.StartOption) (requests int, dollars float64) {
		env := turnstiletest.New(t, turnstile.NewApp(bill.Implement(func(turnstile.Context, month) (string, error) { return "billed", nil })))
		turnstiletest.Start(env, bill, month{"c", "m"}, client.WithInstanceID("a"))
		env.Advance(30 * 24 * time.Hour)
		before := env.Bill()
		turnstiletest.Start(env, bill, month{"c", "n"}, append(options, client.WithInstanceID(second))...)
		env.Advance(time.Hour)
		b := env.Bill().Minus(before)
		return b.Requests(), b.Dollars()
	}
	another, least := cost("b")
	again, most := cost("a", client.AllowRestart())
	t.Logf("a start, its turn and its end: %d requests, $%.2f a million; of what has ended: %d, $%.2f", another, least*1e6, again, most*1e6)
	if another != 6 || again != 7 || least*1e6 > 9 || most*1e6 > 14 {
		t.Errorf("they cost %d and %d requests, $%.2f and $%.2f a million; docs/internal/guide-figures.md says otherwise", another, again, least*1e6, most*1e6)
	}
}
