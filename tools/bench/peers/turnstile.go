package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/sqlite"
	"github.com/turnstile-go/turnstile/tools/bench/workloads"
)

var (
	chainOf  = turnstile.NewOrchestration[int, int]("chain")
	fanOutOf = turnstile.NewOrchestration[int, int]("fan-out")
	add      = turnstile.NewActivity[int, int]("add")
	askedOf  = turnstile.NewOrchestration[int, int]("asked")
	steps    = turnstile.NewQuery[turnstile.None, int]("steps")
	made     = turnstile.NewState[int]("made")
	finished = turnstile.NewEvent[turnstile.None]("finished")
)

// Turnstile's activities go over its queue, as on AWS.
type ours struct {
	db     *sqlite.DB
	client *client.Client
	stop   context.CancelFunc
	ended  chan error
}

func newTurnstile(_ context.Context, file, synchronous string) (engine, error) {
	level := sqlite.Full
	if synchronous == "NORMAL" {
		level = sqlite.Normal
	}
	db, err := sqlite.Open(filepath.Dir(file), sqlite.WithDurability(level))
	if err != nil {
		return nil, err
	}
	app := turnstile.NewApp(chainOf.Implement(countUp), fanOutOf.Implement(countAtOnce), askedOf.Implement(countAndWait),
		add.Implement(func(_ context.Context, v int) (int, error) { return v + 1, nil }),
		workloads.Parts(&agency))
	env, err := embedded.New(app, embedded.WithDatabase(db))
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	ctx, stop := context.WithCancel(context.Background())
	e := &ours{db, env.Client(), stop, make(chan error, 1)}
	go func() { e.ended <- env.Run(ctx) }()
	return e, nil
}

func (e *ours) run(ctx context.Context, s shape, id string) (int, error) {
	switch s.work {
	case chain:
		return finish(ctx, e.client, chainOf, s.steps, id)
	case fanOut:
		return finish(ctx, e.client, fanOutOf, s.steps, id)
	case hello:
		greetings, err := finish(ctx, e.client, workloads.HelloSequence5, struct{}{}, id)
		return len(greetings), err
	case greetAll:
		_, err := finish(ctx, e.client, workloads.FanOutFanIn, s.steps, id)
		return s.steps, err
	case transfer:
		_, err := finish(ctx, e.client, workloads.Transfer, workloads.Order{From: from(id), To: to(id), Amount: amount}, id)
		return 2, err
	default:
		_, err := finish(ctx, e.client, workloads.Trip, lacking, id)
		return s.steps, refused(err)
	}
}

// finish runs an instance to its end.
func finish[In, Out any](ctx context.Context, c *client.Client, o turnstile.Orchestration[In, Out], in In, id string) (Out, error) {
	run, err := client.Start(ctx, c, o, in, client.WithInstanceID(id))
	if err != nil {
		var zero Out
		return zero, err
	}
	return run.Wait(ctx)
}

func (e *ours) openAccount(ctx context.Context, id string) error {
	run, err := client.Start(ctx, e.client, workloads.Account, opening, client.WithInstanceID(id))
	if err != nil {
		return err
	}
	return run.WaitStarted(ctx)
}

func (e *ours) closeAccount(ctx context.Context, id string) (int, error) {
	if err := client.Raise(ctx, e.client, workloads.Posted, id, workloads.Posting{Close: true}); err != nil {
		return 0, err
	}
	return client.Attach(e.client, workloads.Account, id).Wait(ctx)
}

func (e *ours) openAsked(ctx context.Context, n int, id string) error {
	if _, err := client.Start(ctx, e.client, askedOf, n, client.WithInstanceID(id)); err != nil {
		return err
	}
	_, err := client.WaitState(ctx, e.client, made, id, client.StateNumber{})
	return err
}

func (e *ours) ask(ctx context.Context, id string) (int, error) {
	a, err := client.Query(ctx, e.client, steps, id, turnstile.None{})
	return a.Value, err
}

func (e *ours) closeAsked(ctx context.Context, id string) (int, error) {
	if err := client.Raise(ctx, e.client, finished, id, turnstile.None{}); err != nil {
		return 0, err
	}
	return client.Attach(e.client, askedOf, id).Wait(ctx)
}

func (e *ours) close() error {
	e.stop()
	return errors.Join(<-e.ended, e.db.Close())
}

func countUp(ctx turnstile.Context, n int) (int, error) {
	v := 0
	for range n {
		var err error
		if v, err = add.Call(ctx, v); err != nil {
			return 0, err
		}
	}
	return v, nil
}

func countAtOnce(ctx turnstile.Context, n int) (int, error) {
	futures := make([]turnstile.Future[int], n)
	for i := range futures {
		futures[i] = add.Start(ctx, 0)
	}
	values, err := turnstile.Join(ctx, futures...)
	sum := 0
	for _, v := range values {
		sum += v
	}
	return sum, err
}

func countAndWait(ctx turnstile.Context, n int) (int, error) {
	v := 0
	steps.Handle(ctx, func(turnstile.None) (int, error) { return v, nil })
	for range n {
		var err error
		if v, err = add.Call(ctx, v); err != nil {
			return 0, err
		}
	}
	if err := made.Set(ctx, v); err != nil {
		return 0, err
	}
	_, err := finished.Wait(ctx)
	return v, err
}
