package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/sqlite"
)

var (
	chainOf  = turnstile.NewOrchestration[int, int]("chain")
	fanOutOf = turnstile.NewOrchestration[int, int]("fan-out")
	add      = turnstile.NewActivity[int, int]("add")
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
	db, err := sqlite.Open(filepath.Dir(file), sqlite.Durability(level))
	if err != nil {
		return nil, err
	}
	app := turnstile.NewApp(chainOf.Is(chain), fanOutOf.Is(fanOut),
		add.Is(func(_ context.Context, v int) (int, error) { return v + 1, nil }))
	env, err := embedded.New(app, embedded.Storage(db))
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	ctx, stop := context.WithCancel(context.Background())
	e := &ours{db, env.Client(), stop, make(chan error, 1)}
	go func() { e.ended <- env.Run(ctx) }()
	return e, nil
}

func (e *ours) run(ctx context.Context, s shape, id string) (int, error) {
	o := chainOf
	if s.fanOut {
		o = fanOutOf
	}
	run, err := client.Start(ctx, e.client, o, s.steps, client.InstanceID(id))
	if err != nil {
		return 0, err
	}
	return run.Wait(ctx)
}

func (e *ours) close() error {
	e.stop()
	return errors.Join(<-e.ended, e.db.Close())
}

func chain(ctx turnstile.Context, n int) (int, error) {
	v := 0
	for range n {
		var err error
		if v, err = add.Call(ctx, v); err != nil {
			return 0, err
		}
	}
	return v, nil
}

func fanOut(ctx turnstile.Context, n int) (int, error) {
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
