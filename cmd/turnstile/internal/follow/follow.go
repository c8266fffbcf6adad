// Package follow prints the turns of an instance until it has ended.
package follow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/exports"
	"github.com/turnstile-go/turnstile/internal/livetrace"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/store"
)

// Instances reads records and histories.
type Instances interface {
	Describe(ctx context.Context, instance string) (client.Description, error)
	Export(ctx context.Context, instance string, execution int64) (history.Export, error)
}

// Follower prints each committed turn of an instance.
type Follower struct {
	Instances Instances
	Instance  string
	// OnlyNew omits turns that are already committed.
	OnlyNew bool
	// Every is the time between two reads of the record.
	Every time.Duration
	// Out receives the turns: as a trace on a terminal, as a row for each event in a pipe.
	Out *term.Screen
	// Notes receives all else if Out is a pipe.
	Notes io.Writer
	// Line prints an event of the API; nil for rows or the trace.
	Line func(event any) error
	// Sleep waits, and reports false if the context has ended.
	Sleep func(ctx context.Context, d time.Duration) bool
	Now   func() time.Time

	trace *livetrace.Trace
	// execution and last identify the last printed event.
	execution, last int64
	// problem is the last printed problem; "" for none.
	problem string
}

// Run prints turns until the instance has ended, and returns the instance. It returns a
// [*client.WaitError] if the context ends first, and a [*client.NotFoundError] if the instance is
// purged. It waits for an instance that does not exist yet.
func (f *Follower) Run(ctx context.Context) (client.Description, error) {
	to := f.Out.Writer
	if !f.Out.Person {
		// Keep messages out of the rows.
		to = f.Notes
	}
	f.trace = livetrace.New(to, livetrace.WithColours(f.Out.Colour), livetrace.WithWidth(f.Out.Columns()))
	started := false
	var last *client.Description
	for {
		d, err := f.Instances.Describe(ctx, f.Instance)
		gone, _ := errors.AsType[*client.NotFoundError](err)
		switch {
		case ctx.Err() != nil:
			return client.Description{}, &client.WaitError{Instance: f.Instance, Last: last, Err: ctx.Err()}
		case gone != nil && !gone.FreeAt.IsZero():
			return client.Description{}, &client.NotFoundError{Instance: f.Instance, FreeAt: gone.FreeAt}
		case errors.Is(err, client.ErrNotFound):
			if !started && last == nil {
				fmt.Fprintf(f.Notes, "%s has no record yet: waiting for its start\n", printable.Line(f.Instance))
			}
			started = true
		case errors.Is(err, store.ErrUnavailable):
		case err != nil:
			return client.Description{}, err
		default:
			first := last == nil
			last = &d
			if err := f.look(ctx, &d, first && f.OnlyNew); err != nil && ctx.Err() == nil {
				return client.Description{}, err
			}
			if d.Status.Terminal() {
				if f.Line == nil {
					f.trace.Outcome(d)
				}
				return d, nil
			}
		}
		if !f.Sleep(ctx, f.Every) {
			return client.Description{}, &client.WaitError{Instance: f.Instance, Last: last, Err: ctx.Err()}
		}
	}
}

// look prints the new turns of the instance.
func (f *Follower) look(ctx context.Context, d *client.Description, skip bool) error {
	if f.execution == 0 {
		f.execution = d.ExecutionID
	}
	for ; ; f.execution, f.last = f.execution+1, 0 {
		x, err := f.Instances.Export(ctx, f.Instance, f.execution)
		if err != nil {
			if d.Status == client.StatusCorrupt {
				break // Its problem says why.
			}
			return err
		}
		f.show(x, skip)
		if f.execution >= d.ExecutionID {
			break
		}
	}
	f.tell(d)
	return nil
}

// show prints the turns of an execution after the last printed event.
func (f *Follower) show(x history.Export, skip bool) {
	turns, known := exports.Turns(x)
	if !known && len(x.Events) > 0 {
		turns = []store.Turn{{Instance: x.Instance, ExecutionID: x.ExecutionID, Events: x.Events}}
	}
	for i := range turns {
		t := &turns[i]
		if t.Last() <= f.last {
			continue
		}
		if first := t.First(); first <= f.last {
			t.Events = t.Events[f.last-first+1:]
		}
		f.last = t.Last()
		switch {
		case skip:
		case f.Line != nil:
			for j := range t.Events {
				// A write error ends the command.
				_ = f.Line(api.EventOf(&t.Events[j], true))
			}
		case !f.Out.Person:
			views.EventRows(f.Out, t.ExecutionID, t.Events, 0)
		default:
			f.trace.Committed(host.Committed{Turns: []store.Turn{*t}})
		}
	}
}

// tell prints that the instance is stuck, or that it continues.
func (f *Follower) tell(d *client.Description) {
	text := ""
	if d.Problem != nil {
		text = fmt.Sprint(d.Problem.Kind, d.Problem.EventID, d.Problem.Message)
	}
	if text == f.problem || d.Status.Terminal() {
		return
	}
	f.problem = text
	if f.Line == nil {
		f.trace.ProblemChanged(host.ProblemChange{Instance: d.Instance, ExecutionID: d.ExecutionID, Problem: d.Problem, At: f.Now()})
	}
}
