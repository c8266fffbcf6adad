// Package demo makes an environment that has something of everything and is always the
// same. It serves to develop the console, to test it and to take its pictures.
package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// Epoch is when the story starts if Options.Still is set.
var Epoch = time.Date(2030, 5, 6, 9, 0, 0, 0, time.UTC)

// Span is the duration of the story: from its start to the Now of the World.
const Span = 3 * time.Hour

// World is the result of a story.
type World struct {
	Client *client.Client
	Store  store.Store
	// Now is the time at the end of the story.
	Now time.Time
}

// Make plays the story in virtual time, from start on.
func Make(start time.Time) (w *World, err error) {
	w, err = makeWorld(oldApp(), start.Truncate(time.Second), func(env *turnstiletest.Env) { story(env, start) })
	if err == nil {
		w.Now = start.Truncate(time.Second).Add(Span)
	}
	return w, err
}

// makeWorld runs happens in virtual time, from start on.
func makeWorld(app *turnstile.App, start time.Time, happens func(*turnstiletest.Env)) (w *World, err error) {
	t := &failing{}
	defer t.end()
	defer func() {
		if f, ok := recover().(failed); ok {
			err = fmt.Errorf("demo: %s", string(f))
		}
	}()
	env := turnstiletest.New(t, app, turnstiletest.WithStartTime(start), turnstiletest.AllowStuck(), turnstiletest.KeepWarm(),
		turnstiletest.WithMaxBatches(1_000_000))
	happens(env)
	c, err := client.New(client.Config{Store: env.Store(), Activities: env.Activities(), Queue: discard{}})
	return &World{Client: c, Store: env.Store(), Now: env.Now()}, err
}

// CopyTo copies records and histories into another store. It does not copy messages on
// their way: a wake sends them again.
func (w *World) CopyTo(ctx context.Context, to store.Store) error {
	q := store.ListQuery{PageSize: store.MaxPageSize}
	for {
		page, err := w.Store.List(ctx, q)
		if err != nil {
			return err
		}
		for i := range page.Records {
			if err := w.copyInstance(ctx, to, page.Records[i]); err != nil {
				return err
			}
		}
		if q.PageToken = page.NextPageToken; q.PageToken == "" {
			return nil
		}
	}
}

func (w *World) copyInstance(ctx context.Context, to store.Store, r store.Record) error {
	change := &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r, UpdatedAt: r.UpdatedAt}
	for execution := range r.Executions() {
		turns, err := w.Store.Read(ctx, r.Instance, execution, 1)
		if err != nil {
			return err
		}
		for i := range turns {
			if err := to.Commit(ctx, store.Commit{Turns: turns[i : i+1], Record: change}); err != nil {
				return fmt.Errorf("copying %s: %w", r.Instance, err)
			}
			change = nil
		}
	}
	return nil
}

// failing is the test that the kit runs under.
type failing struct{ cleanups []func() }

// end releases what the kit holds.
func (f *failing) end() {
	for _, c := range f.cleanups {
		c()
	}
}

type failed string

func (*failing) Helper()             {}
func (f *failing) Cleanup(c func())  { f.cleanups = append(f.cleanups, c) }
func (*failing) Logf(string, ...any) {}
func (*failing) Errorf(format string, args ...any) {
	panic(failed(fmt.Sprintf(format, args...)))
}
func (*failing) Fatalf(format string, args ...any) {
	panic(failed(fmt.Sprintf(format, args...)))
}
