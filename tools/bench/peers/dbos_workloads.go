package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"

	"github.com/turnstile-go/turnstile/tools/bench/workloads"
)

var cities = []string{"Tokyo", "Seattle", "London", "Amsterdam", "Mumbai"}

func greeting(name string) string { return fmt.Sprintf("Hello %s!", name) }

func dbosHello(ctx dbos.Context, _ int) (int, error) {
	var greetings []string
	for _, city := range cities {
		g, err := dbos.RunAsStep(ctx, func(context.Context) (string, error) { return greeting(city), nil })
		if err != nil {
			return 0, err
		}
		greetings = append(greetings, g)
	}
	return len(greetings), nil
}

func dbosGreetAll(ctx dbos.Context, n int) (int, error) {
	outcomes := make([]<-chan dbos.StepOutcome[string], n)
	for i := range outcomes {
		var err error
		if outcomes[i], err = dbos.Go(ctx, func(context.Context) (string, error) { return greeting(strconv.Itoa(i)), nil }); err != nil {
			return 0, err
		}
	}
	for _, c := range outcomes {
		if o := <-c; o.Err != nil {
			return 0, o.Err
		}
	}
	return n, nil
}

// dbosAccount: a message that a workflow sends is a row that is written together
// with the sender's step, and taken together with the receiver's: once.
func dbosAccount(ctx dbos.Context, balance int) (int, error) {
	for {
		p, err := dbos.Recv[workloads.Posting](ctx, "posted", time.Hour)
		if err != nil || p.Close {
			return balance, err
		}
		answer := workloads.Answer{Done: balance+p.Amount >= 0}
		if answer.Done {
			balance += p.Amount
		}
		if err := dbos.Send(ctx, p.By, answer, "answered"); err != nil {
			return balance, err
		}
	}
}

func dbosTransfer(ctx dbos.Context, o workloads.Order) (int, error) {
	me, err := dbos.GetWorkflowID(ctx)
	if err != nil {
		return 0, err
	}
	for _, p := range postings(o, me) {
		if err := dbos.Send(ctx, p.account, p.Posting, "posted"); err != nil {
			return 0, err
		}
		if a, err := dbos.Recv[workloads.Answer](ctx, "answered", time.Hour); err != nil || !a.Done {
			return 0, err
		}
	}
	return 2, nil
}

// posting to an account.
type posting struct {
	account string
	workloads.Posting
}

// postings of a transfer that an instance makes.
func postings(o workloads.Order, me string) []posting {
	return []posting{
		{o.From, workloads.Posting{Amount: -o.Amount, By: me}},
		{o.To, workloads.Posting{Amount: o.Amount, By: me}},
	}
}

var parts = []string{"flight", "hotel", "car"}

func dbosTrip(ctx dbos.Context, j workloads.Journey) (int, error) {
	me, err := dbos.GetWorkflowID(ctx)
	if err != nil {
		return 0, err
	}
	var undo []workloads.Reservation
	for _, part := range parts {
		r := workloads.Reservation{Trip: me, Part: part, Journey: j}
		undo = append([]workloads.Reservation{r}, undo...)
		_, err := dbos.RunAsStep(ctx, func(ctx context.Context) (string, error) { return agency.Book(ctx, r) })
		if err == nil {
			continue
		}
		for _, r := range undo {
			if _, err := dbos.RunAsStep(ctx, func(ctx context.Context) (struct{}, error) { return agency.Cancel(ctx, r) }); err != nil {
				return 0, err
			}
		}
		return 0, err
	}
	return len(parts), nil
}
