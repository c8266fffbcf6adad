package main

import (
	"context"
	"strconv"
	"time"

	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/turnstile-go/turnstile/tools/bench/workloads"
)

func steadily(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
}

func temporalAdd(_ context.Context, v int) (int, error) { return v + 1, nil }

func temporalChain(ctx workflow.Context, n int) (v int, err error) {
	ctx = steadily(ctx)
	for range n {
		if err := workflow.ExecuteActivity(ctx, temporalAdd, v).Get(ctx, &v); err != nil {
			return 0, err
		}
	}
	return v, nil
}

func temporalAsked(ctx workflow.Context, n int) (v int, err error) {
	if err := workflow.SetQueryHandler(ctx, "steps", func() (int, error) { return v, nil }); err != nil {
		return 0, err
	}
	steady := steadily(ctx)
	for range n {
		if err := workflow.ExecuteActivity(steady, temporalAdd, v).Get(ctx, &v); err != nil {
			return 0, err
		}
	}
	workflow.GetSignalChannel(ctx, "finished").Receive(ctx, nil)
	return v, nil
}

func temporalFanOut(ctx workflow.Context, n int) (int, error) {
	ctx = steadily(ctx)
	futures := make([]workflow.Future, n)
	for i := range futures {
		futures[i] = workflow.ExecuteActivity(ctx, temporalAdd, 0)
	}
	sum := 0
	for _, f := range futures {
		var v int
		if err := f.Get(ctx, &v); err != nil {
			return 0, err
		}
		sum += v
	}
	return sum, nil
}

func temporalSayHello(_ context.Context, name string) (string, error) { return greeting(name), nil }

func temporalHello(ctx workflow.Context, _ int) (int, error) {
	ctx = steadily(ctx)
	var greetings []string
	for _, city := range cities {
		var g string
		if err := workflow.ExecuteActivity(ctx, temporalSayHello, city).Get(ctx, &g); err != nil {
			return 0, err
		}
		greetings = append(greetings, g)
	}
	return len(greetings), nil
}

func temporalGreetAll(ctx workflow.Context, n int) (int, error) {
	ctx = steadily(ctx)
	futures := make([]workflow.Future, n)
	for i := range futures {
		futures[i] = workflow.ExecuteActivity(ctx, temporalSayHello, strconv.Itoa(i))
	}
	for _, f := range futures {
		var g string
		if err := f.Get(ctx, &g); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// temporalAccount: the server takes a signal of a workflow once.
func temporalAccount(ctx workflow.Context, balance int) (int, error) {
	posted := workflow.GetSignalChannel(ctx, "posted")
	for {
		var p workloads.Posting
		if posted.Receive(ctx, &p); p.Close {
			return balance, nil
		}
		answer := workloads.Answer{Done: balance+p.Amount >= 0}
		if answer.Done {
			balance += p.Amount
		}
		if err := workflow.SignalExternalWorkflow(ctx, p.By, "", "answered", answer).Get(ctx, nil); err != nil {
			return balance, err
		}
	}
}

func temporalTransfer(ctx workflow.Context, o workloads.Order) (int, error) {
	answered := workflow.GetSignalChannel(ctx, "answered")
	for _, p := range postings(o, workflow.GetInfo(ctx).WorkflowExecution.ID) {
		if err := workflow.SignalExternalWorkflow(ctx, p.account, "", "posted", p.Posting).Get(ctx, nil); err != nil {
			return 0, err
		}
		var a workloads.Answer
		if answered.Receive(ctx, &a); !a.Done {
			return 0, nil
		}
	}
	return 2, nil
}

func temporalBook(ctx context.Context, r workloads.Reservation) (string, error) {
	booking, err := agency.Book(ctx, r)
	if err != nil {
		return "", sdk.NewNonRetryableApplicationError(err.Error(), workloads.SoldOut, err)
	}
	return booking, nil
}

func temporalCancel(ctx context.Context, r workloads.Reservation) error {
	_, err := agency.Cancel(ctx, r)
	return err
}

func temporalTrip(ctx workflow.Context, j workloads.Journey) (int, error) {
	ctx = steadily(ctx)
	var undo []workloads.Reservation
	for _, part := range parts {
		r := workloads.Reservation{Trip: workflow.GetInfo(ctx).WorkflowExecution.ID, Part: part, Journey: j}
		undo = append([]workloads.Reservation{r}, undo...)
		err := workflow.ExecuteActivity(ctx, temporalBook, r).Get(ctx, nil)
		if err == nil {
			continue
		}
		for _, r := range undo {
			if err := workflow.ExecuteActivity(ctx, temporalCancel, r).Get(ctx, nil); err != nil {
				return 0, err
			}
		}
		return 0, err
	}
	return len(parts), nil
}
