package turnstile_test

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

// Orchestration code sets search attributes, and a client finds the instance by them.
func ExampleSetSearchAttributes() {
	type order struct {
		Customer string
		Total    float64
	}
	fulfil := turnstile.NewOrchestration[order, string]("Fulfil")
	show(fulfil, order{Customer: "c-1", Total: 120.5}, func(c *client.Client, _ *client.Run[string]) error {
		where, err := client.ParseWhere(`customer = "c-1" and total > 100 and due < 2031-01-01`)
		if err != nil {
			return err
		}
		page, err := c.List(context.Background(), client.ListQuery{Status: client.StatusRunning, Where: where})
		for _, d := range page.Instances {
			fmt.Println(d.Instance, d.Status, "with", d.SearchAttributes)
		}
		return err
	},
		fulfil.Implement(func(ctx turnstile.Context, o order) (string, error) {
			due := turnstile.Now(ctx)
			err := turnstile.SetSearchAttributes(ctx, turnstile.SearchAttributes{
				"customer": turnstile.SearchString(o.Customer),
				"total":    turnstile.SearchNumber(o.Total),
				"due":      turnstile.SearchTime(due.Add(48 * time.Hour)),
			})
			if err != nil {
				return "", err
			}
			return "shipped", turnstile.Sleep(ctx, 24*time.Hour)
		}))
	// Output: example running with customer = "c-1", due = 2030-01-03T00:00:00.000Z, total = 120.5
	// completed: shipped
}
