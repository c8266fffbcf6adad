package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
)

// Declarations that the story needs in addition to the orders.
var (
	campaign = turnstile.NewOrchestration[string, string]("Campaign")
	region   = turnstile.NewOrchestration[string, string]("Region")
	syncs    = turnstile.NewOrchestration[string, string]("SyncCatalogue")
	report   = turnstile.NewOrchestration[int, int]("NightlyReport")
	settle   = turnstile.NewOrchestration[int, int]("SettleAccounts")
	echo     = turnstile.NewOrchestration[json.RawMessage, json.RawMessage]("Echo")
	migrate  = turnstile.NewOrchestration[string, string]("MigrateTenant")
	invoice  = turnstile.NewOrchestration[string, string]("Invoice")
	retired  = turnstile.NewOrchestration[string, string]("Retired")

	publish   = turnstile.NewActivity[string, string]("Publish")
	callShop  = turnstile.NewActivity[string, string]("CallShop").With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 5, InitialInterval: 5 * time.Minute, MaxInterval: time.Hour}))
	book      = turnstile.NewActivity[int, int]("Book")
	repeat    = turnstile.NewActivity[json.RawMessage, json.RawMessage]("Repeat")
	copyRows  = turnstile.NewActivity[string, string]("CopyRows")
	checkRows = turnstile.NewActivity[string, string]("CheckRows")

	signedOff = turnstile.NewEvent[string]("signed off")

	anyStatus = turnstile.NewState[any]("status")
	pagesLeft = turnstile.NewQuery[pages, int]("pages left")
)

// pages is what SyncCatalogue reads at a time.
type pages struct {
	Size int `json:"size"`
}

// App returns the application that is deployed at the end of the story. latency is the
// duration of each call to the orders' services. asked is called with the person who is to
// sign something and the token for the signature; it may be nil.
func App(latency time.Duration, asked func(who, token string)) *turnstile.App {
	return turnstile.NewApp(append(parts(latency, asked), migrate.Implement(func(ctx turnstile.Context, tenant string) (string, error) {
		// Changed: the previous version checked after the copy.
		rows, err := checkRows.Call(ctx, tenant)
		if err != nil {
			return "", err
		}
		return copyRows.Call(ctx, rows)
	}))...)
}

// oldApp returns the application that is deployed at the start.
func oldApp() *turnstile.App {
	return turnstile.NewApp(append(parts(0, nil),
		migrate.Implement(func(ctx turnstile.Context, tenant string) (string, error) {
			rows, err := copyRows.Call(ctx, tenant)
			if err != nil {
				return "", err
			}
			if _, err := signedOff.Wait(ctx); err != nil {
				return "", err
			}
			return checkRows.Call(ctx, rows)
		}),
		retired.Implement(func(ctx turnstile.Context, what string) (string, error) { return signedOff.Wait(ctx) }),
	)...)
}

func parts(latency time.Duration, asked func(who, token string)) []turnstile.Component {
	own := []turnstile.Component{
		signedOff, pagesLeft,
		campaign.Implement(func(ctx turnstile.Context, what string) (string, error) {
			return region.Call(ctx, what+" in the north")
		}),
		region.Implement(func(ctx turnstile.Context, what string) (string, error) {
			if _, err := publish.Call(ctx, what); err != nil {
				return "", err
			}
			return syncs.Call(ctx, what)
		}),
		syncs.Implement(func(ctx turnstile.Context, what string) (string, error) {
			pagesLeft.Handle(ctx, func(p pages) (int, error) {
				if p.Size < 1 {
					return 0, fmt.Errorf("size is %d: it must be at least 1", p.Size)
				}
				return (4000 + p.Size - 1) / p.Size, nil
			})
			if err := anyStatus.Set(ctx, map[string]string{"step": "calling the shop"}); err != nil {
				return "", err
			}
			return callShop.Call(ctx, what)
		}),
		report.Implement(func(ctx turnstile.Context, n int) (int, error) {
			if _, err := book.Call(ctx, n); err != nil {
				return 0, err
			}
			if err := turnstile.Sleep(ctx.WithLabel("until the next report"), 10*time.Minute); err != nil {
				return 0, err
			}
			if n >= 6 {
				return n, nil
			}
			return 0, report.ContinueAsNew(ctx, n+1)
		}),
		settle.Implement(settleAll),
		echo.Implement(func(ctx turnstile.Context, in json.RawMessage) (json.RawMessage, error) {
			if err := anyStatus.Set(ctx, in); err != nil && !errors.As(err, new(*turnstile.StateTooLargeError)) {
				return nil, err
			}
			return repeat.Call(ctx, in)
		}),
		invoice.Implement(func(ctx turnstile.Context, customer string) (string, error) {
			if _, err := publish.Call(ctx, customer); err != nil {
				return "", err
			}
			var lines []int
			return fmt.Sprint(lines[len(customer)]), nil
		}),
		publish.Implement(func(ctx context.Context, what string) (string, error) {
			take(ctx, 900*time.Millisecond)
			return "published " + what, nil
		}),
		callShop.Implement(func(ctx context.Context, _ string) (string, error) {
			take(ctx, 3*time.Second)
			return "", turnstile.WithCode(errors.New("shop: 503 Service Unavailable (upstream connect error)"), "shop_down")
		}),
		book.Implement(func(ctx context.Context, n int) (int, error) {
			take(ctx, time.Duration(20+n*7%60)*time.Millisecond)
			return n, nil
		}),
		repeat.Implement(func(_ context.Context, in json.RawMessage) (json.RawMessage, error) { return in, nil }),
		copyRows.Implement(func(ctx context.Context, t string) (string, error) {
			take(ctx, 2500*time.Millisecond)
			return "rows of " + t, nil
		}),
		checkRows.Implement(func(_ context.Context, t string) (string, error) { return "checked " + t, nil }),
	}
	own = append(own, signing(asked)...)
	return append(own, turnstile.Components(orders.Orchestrations()), turnstile.Components(orders.Activities(pacedServices(orders.Simulated(latency, 2*time.Second)))))
}

// settleAll books n accounts, 100 at a time; each takes two events.
func settleAll(ctx turnstile.Context, n int) (int, error) {
	sum := 0
	for from := 0; from < n; from += 100 {
		var futures []turnstile.Future[int]
		for i := from; i < min(from+100, n); i++ {
			futures = append(futures, book.Start(ctx, i))
		}
		booked, err := turnstile.Join(ctx, futures...)
		if err != nil {
			return 0, err
		}
		sum += len(booked)
		if err := anyStatus.Set(ctx, map[string]int{"booked": sum, "of": n}); err != nil {
			return 0, err
		}
	}
	return sum, nil
}
