package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// The shop is the environment of the usability tasks: several thousand instances, of which some have
// failed for three causes, some wait for an approval, and some wait for a permit.
type purchase struct {
	Number   int    `json:"number"`
	Customer string `json:"customer"`
	Amount   int    `json:"amount"`
}

var (
	sell       = turnstile.NewOrchestration[purchase, string]("Sell")
	deliver    = turnstile.NewOrchestration[purchase, string]("Deliver")
	remind     = turnstile.NewOrchestration[int, string]("Remind")
	pay        = turnstile.NewActivity[purchase, string]("Pay").With(once)
	drive      = turnstile.NewActivity[purchase, string]("Drive").With(once)
	letter     = turnstile.NewActivity[int, string]("Write").With(once)
	ask        = turnstile.NewActivity[int, string]("Settle").With(turnstile.Limit("bank", 2), turnstile.AttemptTimeout(time.Hour))
	closing    = turnstile.NewOrchestration[int, string]("CloseDay")
	approved   = turnstile.NewEvent[bool]("approved")
	shopStatus = turnstile.NewState[string]("status")
	once       = turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 1})
)

// ShopDays is the number of days over which the instances of the shop started, and ShopLimit the key
// of a limit of two, for which other instances wait.
const (
	ShopDays  = 3
	ShopLimit = "bank"
)

func shopApp(broken bool) *turnstile.App {
	fails := func(n, of, at int, why string, args ...any) error {
		if broken && n%of == at {
			return fmt.Errorf(why, args...)
		}
		return nil
	}
	return turnstile.NewApp(
		sell.Implement(func(ctx turnstile.Context, p purchase) (string, error) {
			receipt, err := pay.Call(ctx, p)
			if err != nil {
				return "", err
			}
			if p.Amount > 900 {
				if err := shopStatus.Set(ctx, "waits for approval"); err != nil {
					return "", err
				}
				yes, err := approved.Wait(ctx)
				if err != nil {
					return "", err
				}
				if !yes {
					return "", errors.New("not approved")
				}
			}
			parcel, err := deliver.Call(ctx, p)
			if err != nil {
				return "", fmt.Errorf("sell %d: %w", p.Number, err)
			}
			return receipt + ", " + parcel, shopStatus.Set(ctx, "delivered")
		}),
		deliver.Implement(func(ctx turnstile.Context, p purchase) (string, error) { return drive.Call(ctx, p) }),
		remind.Implement(func(ctx turnstile.Context, n int) (string, error) { return letter.Call(ctx, n) }),
		closing.Implement(func(ctx turnstile.Context, n int) (string, error) { return ask.Call(ctx, n) }),
		pay.Implement(func(_ context.Context, p purchase) (string, error) {
			return fmt.Sprintf("receipt %d", p.Number), turnstile.WithCode(fails(p.Number, 9, 4, "the card was declined"), "declined")
		}),
		drive.Implement(func(_ context.Context, p purchase) (string, error) {
			return fmt.Sprintf("parcel %d", p.Number), fails(p.Number, 25, 7, "no driver for zone %d", p.Number%40)
		}),
		letter.Implement(func(_ context.Context, n int) (string, error) {
			return "written", fails(n, 20, 11, "printer %d is out of paper", n%3)
		}),
		ask.Implement(func(ctx context.Context, _ int) (string, error) {
			<-ctx.Done() // the bank does not answer
			return "", ctx.Err()
		}),
		approved,
	)
}

// OpenShop returns a shop with this number of instances, which have started within the last
// ShopDays, in virtual time. Its code has been fixed since: a redriven instance completes. The shop
// runs until it is closed.
func OpenShop(instances int) (env *embedded.Runtime, closeShop func() error, err error) {
	start := time.Now().UTC().Add(-ShopDays * 24 * time.Hour)
	w, err := makeWorld(shopApp(true), start, func(t *turnstiletest.Env) {
		every := ShopDays * 24 * time.Hour / time.Duration(instances+1)
		for n := range instances {
			t.After(time.Duration(n)*every, func() { shop(t, n) })
		}
		t.Advance(ShopDays * 24 * time.Hour)
	})
	if err != nil {
		return nil, nil, err
	}
	if env, err = embedded.New(shopApp(false), embedded.WithShutdownTimeout(time.Millisecond)); err != nil {
		return nil, nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	if err := w.CopyTo(ctx, env.Store()); err != nil {
		stop()
		return nil, nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()
	closeShop = func() error {
		stop()
		return <-ended
	}
	for n := range 5 {
		if _, err := client.Start(ctx, env.Client(), closing, n, client.WithInstanceID(fmt.Sprintf("close-%d", n))); err != nil {
			return nil, nil, errors.Join(err, closeShop())
		}
	}
	return env, closeShop, nil
}

// Redriven waits until a failed instance of the shop, described by failed, has completed after its
// redrive.
func Redriven(ctx context.Context, c *client.Client, failed *client.Description) error {
	run := client.Attach(c, turnstile.NewOrchestration[turnstile.None, string](failed.Name), failed.Instance)
	run.PreviousExecution = failed.ExecutionID
	_, err := run.Wait(ctx)
	return err
}

// shop starts the n-th instance, with an id that cannot be guessed.
func shop(t *turnstiletest.Env, n int) {
	id := client.WithInstanceID(fmt.Sprintf("%08x", uint32(n)*2654435761))
	if n%4 == 3 {
		turnstiletest.Start(t, remind, n, id)
		return
	}
	p := purchase{Number: n, Customer: fmt.Sprintf("c-%03d", n%211), Amount: 100 + n*37%850}
	if n%9 == 4 {
		p.Amount = min(p.Amount, 900) // It is declined. After a redrive it completes without an approval.
	}
	turnstiletest.Start(t, sell, p, id, client.WithSearchAttributes(turnstile.SearchAttributes{"customer": turnstile.SearchString(p.Customer), "total": turnstile.SearchNumber(float64(p.Amount))}))
}
