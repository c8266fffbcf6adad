package main

import (
	"strconv"
	"time"

	"github.com/microsoft/durabletask-go/api"
	"github.com/microsoft/durabletask-go/task"

	"github.com/turnstile-go/turnstile/tools/bench/workloads"
)

func durableTaskSayHello(ctx task.ActivityContext) (any, error) {
	var name string
	if err := ctx.GetInput(&name); err != nil {
		return nil, err
	}
	return greeting(name), nil
}

func durableTaskHello(ctx *task.OrchestrationContext) (any, error) {
	var greetings []string
	for _, city := range cities {
		var g string
		if err := ctx.CallActivity("say-hello", task.WithActivityInput(city)).Await(&g); err != nil {
			return nil, err
		}
		greetings = append(greetings, g)
	}
	return len(greetings), nil
}

func durableTaskGreetAll(ctx *task.OrchestrationContext) (any, error) {
	var n int
	if err := ctx.GetInput(&n); err != nil {
		return nil, err
	}
	tasks := make([]task.Task, n)
	for i := range tasks {
		tasks[i] = ctx.CallActivity("say-hello", task.WithActivityInput(strconv.Itoa(i)))
	}
	for _, t := range tasks {
		var g string
		if err := t.Await(&g); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// event is what the activity "raise" raises.
type event struct {
	Instance string `json:"instance"`
	Name     string `json:"name"`
	Data     any    `json:"data"`
}

// raise is an activity, for an orchestration has no other way to raise an event for
// another. If the process dies behind it and before it is recorded, the event is
// raised again, and nobody tells it from another: then money is made. It does not
// die here.
func (e *durableTask) raise(ctx task.ActivityContext) (any, error) {
	var x event
	if err := ctx.GetInput(&x); err != nil {
		return nil, err
	}
	return nil, e.client.RaiseEvent(ctx.Context(), api.InstanceID(x.Instance), x.Name, api.WithEventPayload(x.Data))
}

func durableTaskAccount(ctx *task.OrchestrationContext) (any, error) {
	var balance int
	if err := ctx.GetInput(&balance); err != nil {
		return nil, err
	}
	for {
		var p workloads.Posting
		if err := ctx.WaitForSingleEvent("posted", time.Hour).Await(&p); err != nil || p.Close {
			return balance, err
		}
		answer := workloads.Answer{Done: balance+p.Amount >= 0}
		if answer.Done {
			balance += p.Amount
		}
		if err := ctx.CallActivity("raise", task.WithActivityInput(event{p.By, "answered", answer})).Await(nil); err != nil {
			return balance, err
		}
	}
}

func durableTaskTransfer(ctx *task.OrchestrationContext) (any, error) {
	var o workloads.Order
	if err := ctx.GetInput(&o); err != nil {
		return nil, err
	}
	for _, p := range postings(o, string(ctx.ID)) {
		if err := ctx.CallActivity("raise", task.WithActivityInput(event{p.account, "posted", p.Posting})).Await(nil); err != nil {
			return nil, err
		}
		var a workloads.Answer
		if err := ctx.WaitForSingleEvent("answered", time.Hour).Await(&a); err != nil || !a.Done {
			return 0, err
		}
	}
	return 2, nil
}

func durableTaskBook(ctx task.ActivityContext) (any, error) {
	var r workloads.Reservation
	if err := ctx.GetInput(&r); err != nil {
		return nil, err
	}
	return agency.Book(ctx.Context(), r)
}

func durableTaskCancel(ctx task.ActivityContext) (any, error) {
	var r workloads.Reservation
	if err := ctx.GetInput(&r); err != nil {
		return nil, err
	}
	return agency.Cancel(ctx.Context(), r)
}

func durableTaskTrip(ctx *task.OrchestrationContext) (any, error) {
	var j workloads.Journey
	if err := ctx.GetInput(&j); err != nil {
		return nil, err
	}
	var undo []workloads.Reservation
	for _, part := range parts {
		r := workloads.Reservation{Trip: string(ctx.ID), Part: part, Journey: j}
		undo = append([]workloads.Reservation{r}, undo...)
		err := ctx.CallActivity("book", task.WithActivityInput(r)).Await(nil)
		if err == nil {
			continue
		}
		for _, r := range undo {
			if err := ctx.CallActivity("cancel", task.WithActivityInput(r)).Await(nil); err != nil {
				return nil, err
			}
		}
		return nil, err
	}
	return len(parts), nil
}
