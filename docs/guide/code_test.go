package guide_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// Determinism.

func deadline(ctx turnstile.Context, days int) (time.Time, string) {
	now := turnstile.Now(ctx) // not time.Now()
	id := turnstile.UUID(ctx) // not uuid.New()
	return now.AddDate(0, 0, days), id
}

// Errors and retries.

var Pay = turnstile.NewActivity[Order, string]("Pay").With(
	turnstile.Retry(turnstile.RetryPolicy{
		MaxAttempts: 5, InitialInterval: time.Second, MaxInterval: time.Minute, Jitter: 0.2,
		NonRetryableCodes: []string{"declined"},
	}),
	turnstile.AttemptTimeout(10*time.Second),
	turnstile.TotalTimeout(10*time.Minute))

var errBusy = errors.New("the bank is busy")

func pay(ctx context.Context, o Order) (string, error) {
	switch receipt, err := bank(ctx, turnstile.ActivityInfo(ctx).IdempotencyKey, o.Amount); {
	case errors.Is(err, errBusy):
		return "", turnstile.RetryAfter(err, 30*time.Second)
	case err != nil:
		return "", turnstile.WithCode(err, "declined")
	default:
		return receipt, nil
	}
}

func bank(_ context.Context, key string, amount int64) (string, error) {
	if amount > 1000 {
		return "", errors.New("the card was declined")
	}
	return "receipt of " + key, nil
}

func buy(ctx turnstile.Context, o Order) (string, error) {
	receipt, err := Pay.Call(ctx, o)
	if failed, ok := errors.AsType[*turnstile.ActivityError](err); ok && failed.Code == "declined" {
		return "not bought: " + failed.Message, nil
	}
	if err != nil {
		return "", fmt.Errorf("order %s: %w", o.ID, err) // the orchestration fails with this
	}
	return receipt, nil
}

var Buy = turnstile.NewOrchestration[Order, string]("Buy")

func TestACodeIsFinalAndDecidesWhatFollows(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, turnstile.NewApp(Buy.Implement(buy), Pay.Implement(pay)))
	run := turnstiletest.Start(env, Buy, Order{ID: "1", Amount: 2000})
	if got, err := run.Wait(); err != nil || got != "not bought: the card was declined" {
		t.Errorf("it ended with %q, %v", got, err)
	}
}

// Coming from Temporal, and from AWS.

func transfer(ctx turnstile.Context, o Order) (string, error) {
	receipt, err := Charge.Call(ctx, o)
	if err != nil {
		return "", err
	}
	_, err = Approved.WaitTimeout(ctx, 72*time.Hour)
	if errors.Is(err, turnstile.ErrTimeout) {
		return "expired", nil
	}
	if err != nil {
		return "", err
	}
	return Ship.Call(ctx, receipt)
}

func shipLater(ctx turnstile.Context, o Order) (string, error) {
	receipt, err := Charge.Call(ctx, o)
	if err != nil {
		return "", err
	}
	if err := turnstile.Sleep(ctx, time.Hour); err != nil {
		return "", err
	}
	return Ship.Call(ctx, receipt)
}

func shipAll(ctx turnstile.Context, receipts []string) ([]string, error) {
	return turnstile.Map(ctx, receipts, 10, Ship.Call)
}

var (
	Transfer = turnstile.NewOrchestration[Order, string]("Transfer")
	Later    = turnstile.NewOrchestration[Order, string]("Later")
	ShipAll  = turnstile.NewOrchestration[[]string, []string]("ShipAll")
	Plan     = turnstile.NewOrchestration[int, string]("Plan")
)

func TestTransferAndShipAll(t *testing.T) {
	t.Parallel()
	plan := func(ctx turnstile.Context, days int) (string, error) {
		at, id := deadline(ctx, days)
		return fmt.Sprint(at.Year(), len(id)), nil
	}
	env := turnstiletest.New(t, turnstile.NewApp(Transfer.Implement(transfer), Later.Implement(shipLater), ShipAll.Implement(shipAll), Plan.Implement(plan)))
	turnstiletest.On(env, Charge).Return("receipt", nil)
	turnstiletest.On(env, Ship).Return("parcel", nil)
	if got, err := turnstiletest.Start(env, Transfer, Order{ID: "1"}).Wait(); err != nil || got != "expired" {
		t.Errorf("without an approval it ended with %q, %v", got, err)
	}
	if got, err := turnstiletest.Start(env, Later, Order{ID: "1"}).Wait(); err != nil || got != "parcel" {
		t.Errorf("an hour later it ended with %q, %v", got, err)
	}
	if got, err := turnstiletest.Start(env, ShipAll, []string{"a", "b", "c"}).Wait(); err != nil || len(got) != 3 {
		t.Errorf("shipped were %v, %v", got, err)
	}
	if got, err := turnstiletest.Start(env, Plan, 3).Wait(); err != nil || got[len(got)-2:] != "36" {
		t.Errorf("the plan is %q, %v", got, err)
	}
}

// Versions.

func fulfilWithCheck(ctx turnstile.Context, o Order) (string, error) {
	if turnstile.Patched(ctx, "check-stock") {
		if _, err := CheckStock.Call(ctx, o); err != nil {
			return "", err
		}
	}
	return Charge.Call(ctx, o)
}

var CheckStock = turnstile.NewActivity[Order, bool]("CheckStock")

func parts() turnstile.Components {
	return turnstile.Components{
		Fulfil.Implement(fulfil),
		Fulfil.With(turnstile.Version("2")).Implement(fulfilWithCheck),
	}
}

func TestANewInstanceRunsOnTheNewestVersion(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, turnstile.NewApp(parts()))
	turnstiletest.On(env, CheckStock).Return(true, nil)
	turnstiletest.On(env, Charge).Return("receipt", nil)
	run := turnstiletest.Start(env, Fulfil, Order{ID: "1"})
	if got, err := run.Wait(); err != nil || got != "receipt" || run.Describe().Version != "2" {
		t.Errorf("on version %q it ended with %q, %v", run.Describe().Version, got, err)
	}
}

// Concurrency.

func cheapest(ctx turnstile.Context, suppliers []string) (int, error) {
	var quotes []turnstile.Future[int]
	for _, s := range suppliers {
		quotes = append(quotes, Quote.Start(ctx, s))
	}
	outcomes, err := turnstile.JoinSettled(ctx, quotes...) // all of them, failures too
	if err != nil {
		return 0, err // cancelled
	}
	best := 0
	for _, o := range outcomes {
		if o.Err == nil && (best == 0 || o.Value < best) {
			best = o.Value
		}
	}
	return best, nil
}

func within(ctx turnstile.Context, supplier string) (int, error) {
	scope, done := turnstile.WithTimeout(ctx, time.Hour)
	price, err := Quote.Call(scope, supplier) // an ErrTimeout after an hour, and the activity is asked to stop
	done("the price is there")
	return price, err
}

func payLater(ctx turnstile.Context, o Order) (string, error) {
	payment := turnstile.Go(ctx.WithLabel("payment"), func(ctx turnstile.Context) (string, error) {
		if err := turnstile.Sleep(ctx.WithLabel("grace period"), 72*time.Hour); err != nil {
			return "", err
		}
		return Pay.Call(ctx, o)
	})
	return payment.Await(ctx)
}

func TestLabelsStandInTheHistory(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, turnstile.NewApp(Fulfil.Implement(payLater)))
	turnstiletest.On(env, Pay).Return("receipt", nil)
	run := turnstiletest.Start(env, Fulfil, Order{ID: "1"})
	env.RunUntil(turnstiletest.TimerCreated().WithLabel("payment / grace period"))
	if _, err := run.Wait(); err != nil {
		t.Error(err)
	}
	if paid := run.History()[3]; paid.Name != "Pay" || paid.Label != "payment" {
		t.Errorf("%s has the label %q", paid.Name, paid.Label)
	}
}

// Events.

func basket(ctx turnstile.Context, items []string) ([]string, error) {
	for item, err := range Added.All(ctx) {
		if err != nil {
			return items, err
		}
		if item == "" { // checkout
			return items, nil
		}
		items = append(items, item)
		if turnstile.Info(ctx).ContinueAsNewSuggested {
			return nil, Basket.ContinueAsNew(ctx, items) // unconsumed events are carried over
		}
	}
	return items, ctx.Err()
}

// Children.

func fulfilAll(ctx turnstile.Context, orders []Order) ([]string, error) {
	return turnstile.Map(ctx, orders, 5, func(ctx turnstile.Context, o Order) (string, error) {
		child := Fulfil.With(turnstile.InstanceID("order-"+o.ID), turnstile.ParentClosePolicy(turnstile.Cancel))
		return child.Call(ctx, o)
	})
}

var Signed = turnstile.NewEvent[Order]("signed").Rejecting()

func fulfilOnce(ctx turnstile.Context, o Order) (string, error) {
	return Fulfil.With(turnstile.InstanceID("order-"+o.ID), turnstile.UseExisting()).Call(ctx, o)
}

var (
	Quote     = turnstile.NewActivity[string, int]("Quote")
	Added     = turnstile.NewEvent[string]("added")
	Cheapest  = turnstile.NewOrchestration[[]string, int]("Cheapest")
	Within    = turnstile.NewOrchestration[string, int]("Within")
	Basket    = turnstile.NewOrchestration[[]string, []string]("Basket")
	FulfilAll = turnstile.NewOrchestration[[]Order, []string]("FulfilAll")
	FulfilOne = turnstile.NewOrchestration[Order, string]("FulfilOne")
)

func TestBranchesEventsAndChildren(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, turnstile.NewApp(Cheapest.Implement(cheapest), Within.Implement(within), Basket.Implement(basket), FulfilAll.Implement(fulfilAll), FulfilOne.Implement(fulfilOnce), parts()))
	turnstiletest.On(env, Quote).Match(func(s string) bool { return s == "slow" }).Return(9, nil).After(2 * time.Hour)
	turnstiletest.On(env, Quote).Match(func(s string) bool { return s == "closed" }).Return(0, errors.New("closed"))
	turnstiletest.On(env, Quote).Return(7, nil)
	turnstiletest.On(env, CheckStock).Return(true, nil)
	turnstiletest.On(env, Charge).Return("receipt", nil)
	if got, err := turnstiletest.Start(env, Cheapest, []string{"slow", "closed", "near"}).Wait(); err != nil || got != 7 {
		t.Errorf("the cheapest is %d, %v", got, err)
	}
	if _, err := turnstiletest.Start(env, Within, "slow").Wait(); err == nil {
		t.Error("a price came after its hour")
	}
	run := turnstiletest.Start(env, Basket, nil)
	for _, item := range []string{"cup", "spoon", ""} {
		turnstiletest.Raise(env, Added, run.Instance, item)
	}
	if got, err := run.Wait(); err != nil || len(got) != 2 {
		t.Errorf("the basket has %v, %v", got, err)
	}
	if got, err := turnstiletest.Start(env, FulfilAll, []Order{{ID: "1"}, {ID: "2"}}).Wait(); err != nil || len(got) != 2 {
		t.Errorf("fulfilled were %v, %v", got, err)
	}
	if got, err := turnstiletest.Start(env, FulfilOne, Order{ID: "1"}).Wait(); err != nil || got == "" {
		t.Errorf("the one that was fulfilled before gave %q, %v", got, err)
	}
}
