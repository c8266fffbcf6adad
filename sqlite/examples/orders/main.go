// Command orders runs the sample application examples/orders on a database, with the console. Kill it
// at any moment and run it again: the orders continue.
//
//	go -C sqlite run ./examples/orders
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
	"github.com/turnstile-go/turnstile/sqlite/local"
)

// How long each call of a service takes, and how long the carrier keeps a parcel waiting.
const (
	latency = 3 * time.Second
	pickUp  = 15 * time.Second
)

func main() {
	services := orders.Simulated(latency, pickUp)
	app := turnstile.NewApp(turnstile.Components(orders.Orchestrations()), turnstile.Components(orders.Activities(services)))
	fmt.Printf("Kill this process at any moment (kill -9 %d) and run it again: the order continues.\n", os.Getpid())
	local.Run(app, local.OnStart(start))
}

// start starts an order, unless one is in progress. The approval is sent with it, so no approver is
// needed.
func start(ctx context.Context, c *client.Client) error {
	page, err := c.List(ctx, client.ListQuery{Name: orders.Fulfil.Name(), Status: client.StatusRunning, PageSize: 1})
	if err != nil || len(page.Instances) > 0 {
		return err
	}
	number := time.Now().Format("150405")
	order := orders.Order{
		ID: number, Customer: "Ada", Card: "4242 4242 4242 4242",
		Lines: []orders.Line{{SKU: "teapot", Quantity: 1, Price: 3900}},
	}
	_, err = client.Start(ctx, c, orders.Fulfil, order, client.WithInstanceID("order-"+number),
		client.WithEvent(orders.Approved, orders.Approval{By: "Grace", Approved: true}))
	return err
}
