package main

import (
	"context"
	"strconv"

	"github.com/cschleiden/go-workflows/workflow"

	"github.com/turnstile-go/turnstile/tools/bench/workloads"
)

func goWorkflowsSayHello(_ context.Context, name string) (string, error) { return greeting(name), nil }

func goWorkflowsHello(ctx workflow.Context, _ int) (int, error) {
	var greetings []string
	for _, city := range cities {
		g, err := workflow.ExecuteActivity[string](ctx, workflow.DefaultActivityOptions, goWorkflowsSayHello, city).Get(ctx)
		if err != nil {
			return 0, err
		}
		greetings = append(greetings, g)
	}
	return len(greetings), nil
}

func goWorkflowsGreetAll(ctx workflow.Context, n int) (int, error) {
	futures := make([]workflow.Future[string], n)
	for i := range futures {
		futures[i] = workflow.ExecuteActivity[string](ctx, workflow.DefaultActivityOptions, goWorkflowsSayHello, strconv.Itoa(i))
	}
	for _, f := range futures {
		if _, err := f.Get(ctx); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// goWorkflowsAccount: a signal between workflows is an activity of the engine's
// own. If the process dies behind the signal and before the activity is recorded, it
// is sent again, and nobody tells it from another: then money is made. It does not
// die here.
func goWorkflowsAccount(ctx workflow.Context, balance int) (int, error) {
	posted := workflow.NewSignalChannel[workloads.Posting](ctx, "posted")
	for {
		p, _ := posted.Receive(ctx)
		if p.Close {
			return balance, nil
		}
		answer := workloads.Answer{Done: balance+p.Amount >= 0}
		if answer.Done {
			balance += p.Amount
		}
		if _, err := workflow.SignalWorkflow(ctx, p.By, "answered", answer).Get(ctx); err != nil {
			return balance, err
		}
	}
}

func goWorkflowsTransfer(ctx workflow.Context, o workloads.Order) (int, error) {
	answered := workflow.NewSignalChannel[workloads.Answer](ctx, "answered")
	for _, p := range postings(o, workflow.WorkflowInstance(ctx).InstanceID) {
		if _, err := workflow.SignalWorkflow(ctx, p.account, "posted", p.Posting).Get(ctx); err != nil {
			return 0, err
		}
		if a, _ := answered.Receive(ctx); !a.Done {
			return 0, nil
		}
	}
	return 2, nil
}

func goWorkflowsBook(ctx context.Context, r workloads.Reservation) (string, error) {
	booking, err := agency.Book(ctx, r)
	if err != nil {
		return "", workflow.NewPermanentError(err)
	}
	return booking, nil
}

func goWorkflowsCancel(ctx context.Context, r workloads.Reservation) error {
	_, err := agency.Cancel(ctx, r)
	return err
}

func goWorkflowsTrip(ctx workflow.Context, j workloads.Journey) (int, error) {
	var undo []workloads.Reservation
	for _, part := range parts {
		r := workloads.Reservation{Trip: workflow.WorkflowInstance(ctx).InstanceID, Part: part, Journey: j}
		undo = append([]workloads.Reservation{r}, undo...)
		_, err := workflow.ExecuteActivity[string](ctx, workflow.DefaultActivityOptions, goWorkflowsBook, r).Get(ctx)
		if err == nil {
			continue
		}
		for _, r := range undo {
			if _, err := workflow.ExecuteActivity[any](ctx, workflow.DefaultActivityOptions, goWorkflowsCancel, r).Get(ctx); err != nil {
				return 0, err
			}
		}
		return 0, err
	}
	return len(parts), nil
}
