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

// The shop is what a stranger is asked to find his way in: some thousand instances, of which some
// have failed for three causes, some wait for an approval, and some for a permit.
type purchase struct {
	Number   int    `json:"number"`
	Customer string `json:"customer"`
	Amount   int    `json:"amount"`
}

var (
	sell     = turnstile.NewOrchestration[purchase, string]("Sell")
	deliver  = turnstile.NewOrchestration[purchase, string]("Deliver")
	remind   = turnstile.NewOrchestration[int, string]("Remind")
	pay      = turnstile.NewActivity[purchase, string]("Pay").With(once)
	drive    = turnstile.NewActivity[purchase, string]("Drive").With(once)
	letter   = turnstile.NewActivity[int, string]("Write").With(once)
	ask      = turnstile.NewActivity[int, string]("Settle").With(turnstile.Limit("bank", 2), turnstile.AttemptTimeout(time.Hour))
	closing  = turnstile.NewOrchestration[int, string]("CloseDay")
	approved = turnstile.NewEvent[bool]("approved")
	once     = turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 1})
)

// ShopDays is over how many days the instances of the shop have started, and ShopLimit the key of
// a limit of two for which others wait.
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
				if err := turnstile.SetCustomStatus(ctx, "waits for approval"); err != nil {
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
			return receipt + ", " + parcel, turnstile.SetCustomStatus(ctx, "delivered")
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

// OpenShop returns a shop whose instances, so many, have started within the last days, each in
// virtual time. Its code is repaired by now: what is redriven completes. It runs until it is closed.
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

// Redriven waits until an instance of the shop that has failed, as it was then, has completed.
func Redriven(ctx context.Context, c *client.Client, failed *client.Description) error {
	run := client.Attach(c, turnstile.NewOrchestration[turnstile.None, string](failed.Name), failed.Instance)
	run.After = failed.ExecutionID
	_, err := run.Wait(ctx)
	return err
}

// shop starts the n-th instance. Nobody can guess its id.
func shop(t *turnstiletest.Env, n int) {
	id := client.WithInstanceID(fmt.Sprintf("%08x", uint32(n)*2654435761))
	if n%4 == 3 {
		turnstiletest.Start(t, remind, n, id)
		return
	}
	p := purchase{Number: n, Customer: fmt.Sprintf("c-%03d", n%211), Amount: 100 + n*37%850}
	if n%9 == 4 {
		p.Amount = min(p.Amount, 900) // It is declined. Once it is redriven it completes, and waits for no approval.
	}
	turnstiletest.Start(t, sell, p, id, client.WithSearchAttributes(turnstile.SearchAttributes{"customer": turnstile.SearchString(p.Customer), "total": turnstile.SearchNumber(float64(p.Amount))}))
}
