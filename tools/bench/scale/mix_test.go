package scale

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/turnstile-go/turnstile"
)

// document is a payload of 200 bytes, of which 150 look random.
type document struct {
	Kind  string `json:"kind"`
	State string `json:"state"`
	Key   string `json:"key"`
}

func written(from string, n int) document {
	a, b := sha256.Sum256(fmt.Appendf(nil, "%s %d", from, n)), sha256.Sum256(fmt.Appendf(nil, "%d %s", n, from))
	return document{"order", "open", hex.EncodeToString(append(a[:], b[:]...))}
}

var (
	step = turnstile.NewActivity[document, document]("Step")
	// quick runs inline.
	quick = turnstile.NewActivity[document, document]("Quick")
	went  = turnstile.NewEvent[document]("went")
)

// kind is an orchestration of the mix, and how many of a hundred instances are of it.
type kind struct {
	name, what string
	percent    int
	run        func(ctx turnstile.Context, in document) (document, error)
	// raise is how long after its start the instance is sent the event that it
	// waits for; 0 for none.
	raise time.Duration
}

// mix is what the instances of the day are. A hundred of them have percent of each.
func mix() []kind {
	steps := func(n int) func(ctx turnstile.Context, in document) (document, error) {
		return func(ctx turnstile.Context, in document) (d document, err error) {
			d = in
			for range n {
				if d, err = step.Call(ctx, d); err != nil {
					return d, err
				}
			}
			return d, nil
		}
	}
	around := func(wait func(ctx turnstile.Context) error) func(ctx turnstile.Context, in document) (document, error) {
		return func(ctx turnstile.Context, in document) (document, error) {
			d, err := step.Call(ctx, in)
			if err != nil {
				return d, err
			}
			if err := wait(ctx); err != nil {
				return d, err
			}
			return step.Call(ctx, d)
		}
	}
	child := turnstile.NewOrchestration[document, document]("Three")
	return []kind{
		{name: "Three", what: "three activities, one after the other", percent: 50, run: steps(3)},
		{name: "FanOut", what: "ten activities side by side, then one", percent: 20, run: func(ctx turnstile.Context, in document) (document, error) {
			all := make([]document, 10)
			for i := range all {
				all[i] = written(in.Key, i)
			}
			results, err := turnstile.Map(ctx, all, len(all), step.Call)
			if err != nil {
				return in, err
			}
			return step.Call(ctx, results[0])
		}},
		{name: "Approval", what: "an activity, an event half an hour later, an activity", percent: 15, raise: 30 * time.Minute, run: around(func(ctx turnstile.Context) error {
			_, err := went.Wait(ctx)
			return err
		})},
		{name: "Reminder", what: "an activity, a timer of an hour, an activity", percent: 10, run: around(func(ctx turnstile.Context) error {
			return turnstile.Sleep(ctx, time.Hour)
		})},
		{name: "Parent", what: "a child of three activities", percent: 4, run: func(ctx turnstile.Context, in document) (document, error) { return child.Call(ctx, in) }},
		{name: "Inline", what: "ten inline activities", percent: 1, run: func(ctx turnstile.Context, in document) (document, error) {
			d := in
			for range 10 {
				var err error
				if d, err = quick.Inline(ctx, d); err != nil {
					return d, err
				}
			}
			return d, nil
		}},
	}
}

// app is the application that the mix is of; attempts counts those of Step.
func app(attempts *atomic.Int64) *turnstile.App {
	parts := []turnstile.Component{
		step.Implement(func(_ context.Context, in document) (document, error) {
			attempts.Add(1)
			return written(in.Key, 0), nil
		}),
		quick.Implement(func(_ context.Context, in document) (document, error) { return written(in.Key, 0), nil }),
	}
	for _, k := range mix() {
		parts = append(parts, turnstile.NewOrchestration[document, document](k.name).Implement(k.run))
	}
	return turnstile.NewApp(parts...)
}

// nth returns the kind of the nth instance: of each hundred in a row, as many as the
// mix says, in an order that does not bunch them.
func nth(kinds []kind, n int) kind {
	at := n % 100 * 37 % 100 // 37 and 100 have no common divisor: each of the hundred once.
	for _, k := range kinds {
		if at -= k.percent; at < 0 {
			return k
		}
	}
	panic("the mix is of fewer than a hundred")
}
