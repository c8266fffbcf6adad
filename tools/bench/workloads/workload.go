// Package workloads is what engines of this kind are compared by, for Turnstile:
// three microbenchmarks of Netherite (github.com/microsoft/durabletask-netherite,
// test/PerformanceTests) and a trip booking.
//
//   - HelloSequence5: five activities, one after the other
//   - FanOutFanIn: so many activities at once
//   - Bank: transfers between accounts, which are instances themselves
//   - Trip: a flight, a hotel and a car; what fails has the earlier cancelled
//
// Each is run and checked on whatever its client leads to: the tests here count
// what it costs (package stack, and DynamoDB Local), and crash it at every call
// (turnstiletest.CrashTest); tools/bench/peers runs the same on other engines.
package workloads

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

// Parts are all workloads, for an application. Their trips are booked with the
// agency.
func Parts(agency *Agency) turnstile.Components {
	return turnstile.Components{
		HelloSequence5.Implement(helloSequence5), FanOutFanIn.Implement(fanOutFanIn), SayHello.Implement(sayHello),
		Account.Implement(account), Transfer.Implement(transfer),
		Trip.Implement(trip), Book.Implement(agency.Book), Cancel.Implement(agency.Cancel),
	}
}

// App is an application of all workloads.
func App(agency *Agency) *turnstile.App { return turnstile.NewApp(Parts(agency)) }

// Hello runs so many HelloSequence5 side by side. The ids of instances begin with
// id, here and below. An error says what came out wrong.
func Hello(ctx context.Context, c *client.Client, id string, instances int) error {
	want := []string{"Hello Tokyo!", "Hello Seattle!", "Hello London!", "Hello Amsterdam!", "Hello Mumbai!"}
	return all(ctx, c, HelloSequence5, id, make([]struct{}, instances), func(_ string, got []string, err error) error {
		if err == nil && !slices.Equal(got, want) {
			return fmt.Errorf("it returned %q", got)
		}
		return err
	})
}

// FanOut runs so many FanOutFanIn, each of count activities, side by side.
func FanOut(ctx context.Context, c *client.Client, id string, instances, count int) error {
	want := fmt.Sprintf("%d tasks completed.", count)
	return all(ctx, c, FanOutFanIn, id, slices.Repeat([]int{count}, instances), func(_ string, got string, err error) error {
		if err == nil && got != want {
			return fmt.Errorf("it returned %q", got)
		}
		return err
	})
}

// Opening is the balance that each account is opened with.
const Opening = 100

// Bank opens so many accounts, makes the transfers between them side by side (From
// and To are numbers of accounts), closes the accounts, and returns the balances
// that they had. An error says so where the sum is another than before.
func Bank(ctx context.Context, c *client.Client, id string, accounts int, transfers []Movement) (balances []int, refused int, err error) {
	name := func(n int) string { return fmt.Sprintf("%s-account-%d", id, n) }
	open := make([]*client.Run[int], accounts)
	for n := range open {
		if open[n], err = client.Start(ctx, c, Account, Opening, client.WithInstanceID(name(n))); err != nil {
			return nil, 0, err
		}
	}
	for _, account := range open {
		// What is posted to an account that is not there yet waits longer.
		if err := account.WaitStarted(ctx); err != nil {
			return nil, 0, err
		}
	}
	orders := make([]Order, len(transfers))
	for i, m := range transfers {
		orders[i] = Order{From: name(m.From), To: name(m.To), Amount: m.Amount}
	}
	err = all(ctx, c, Transfer, id+"-transfer", orders, func(_ string, done bool, err error) error {
		if err == nil && !done {
			refused++
		}
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	sum := 0
	for n, account := range open {
		if err := client.Raise(ctx, c, Posted, name(n), Posting{Close: true}); err != nil {
			return nil, 0, err
		}
		balance, err := account.Wait(ctx)
		if err != nil {
			return nil, 0, err
		}
		if balance < 0 {
			return nil, 0, fmt.Errorf("%s was closed with %d, less than nothing", name(n), balance)
		}
		balances = append(balances, balance)
		sum += balance
	}
	if want := accounts * Opening; sum != want {
		return balances, refused, fmt.Errorf("the accounts of %s had %d together, and have %d: %v", id, want, sum, balances)
	}
	return balances, refused, nil
}

// Movement is a transfer between accounts by their numbers.
type Movement struct{ From, To, Amount int }

// Trips books so many trips side by side, of which each lacks a part or, if lacks
// is empty, none; and checks what the agency has done for each.
func Trips(ctx context.Context, c *client.Client, agency *Agency, id string, instances int, lacks string) error {
	return all(ctx, c, Trip, id, slices.Repeat([]Journey{{To: "Lisbon", Lacks: lacks}}, instances), func(trip string, got []string, err error) error {
		failed, _ := errors.AsType[*client.OrchestrationError](err)
		switch {
		case lacks == "" && err != nil:
			return err
		case lacks == "" && len(got) != 3:
			return fmt.Errorf("its bookings are %q", got)
		case lacks != "" && (failed == nil || failed.Code != SoldOut):
			return fmt.Errorf("it lacks a %s, and ended with %q, %w", lacks, got, err)
		}
		return agency.Check(trip, lacks)
	})
}

// all starts an instance for each input and waits for all of them; check is told
// how each ended.
func all[In, Out any](ctx context.Context, c *client.Client, o turnstile.Orchestration[In, Out], id string, inputs []In, check func(instance string, out Out, err error) error) error {
	runs := make([]*client.Run[Out], len(inputs))
	for i, in := range inputs {
		var err error
		if runs[i], err = client.Start(ctx, c, o, in, client.WithInstanceID(fmt.Sprintf("%s-%d", id, i))); err != nil {
			return err
		}
	}
	for _, run := range runs {
		out, err := run.Wait(ctx)
		if err := check(run.Instance, out, err); err != nil {
			return fmt.Errorf("%s of %s: %w", run.Instance, o.Name(), err)
		}
	}
	return nil
}
