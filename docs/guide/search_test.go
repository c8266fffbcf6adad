package guide_test

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

type invoice struct {
	Customer string
	Total    float64
	Due      time.Time
}

var collect = turnstile.NewOrchestration[invoice, string]("Collect")

func collected(ctx turnstile.Context, in invoice) (string, error) {
	err := turnstile.SetSearchAttributes(ctx, turnstile.SearchAttributes{
		"customer": turnstile.SearchString(in.Customer),
		"total":    turnstile.SearchNumber(in.Total),
		"due":      turnstile.SearchTime(in.Due),
		"draft":    {}, // no value: it is removed
	})
	if err != nil {
		return "", err
	}
	return "paid", turnstile.Sleep(ctx, 24*time.Hour)
}

func startedWithAttributes(ctx context.Context, c *client.Client, in invoice) error {
	_, err := client.Start(ctx, c, collect, in, client.WithSearchAttributes(turnstile.SearchAttributes{"draft": turnstile.SearchString("yes")}))
	return err
}

func large(ctx context.Context, c *client.Client, customer string) (ids []string, err error) {
	q := client.ListQuery{
		Name:   "Collect",
		Status: client.StatusRunning,
		Where: []client.SearchCondition{
			{Name: "customer", Operator: "=", Value: turnstile.SearchString(customer)},
			{Name: "total", Operator: ">", Value: turnstile.SearchNumber(100)},
		},
	}
	for {
		page, err := c.List(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, d := range page.Instances {
			ids = append(ids, d.Instance)
		}
		if q.PageToken = page.NextPageToken; q.PageToken == "" {
			return ids, nil
		}
	}
}
