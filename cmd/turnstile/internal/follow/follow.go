// Package follow shows an instance at work, until it has ended.
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

// Follower shows each turn of an instance once it is committed.
type Follower struct {
	Instances Instances
	Instance  string
	// OnlyNew leaves out what happened before.
	OnlyNew bool
	// Every is the time between two reads of the record.
	Every time.Duration
	// Out gets the turns: for a person as a trace, for a program a row for each event.
	Out *term.Screen
	// Notes gets what is not a row, if Out leads to a program.
	Notes io.Writer
	// Line prints an event of the API; nil for rows or the trace.
	Line func(event any) error
	// Sleep waits, and reports false if the context has ended.
	Sleep func(ctx context.Context, d time.Duration) bool
	Now   func() time.Time

	trace *livetrace.Trace
	// execution and last are the last event that was shown.
	execution, last int64
	// problem that was shown last; "" for none.
	problem string
}

// Run returns the instance once it has ended; a [*client.WaitError] if the context ended
// first. It waits for an instance that has no record yet.
func (f *Follower) Run(ctx context.Context) (client.Description, error) {
	to := f.Out.Writer
	if !f.Out.Person {
		// Rows go to a program; what is not a row is for the person who runs it.
		to = f.Notes
	}
	f.trace = livetrace.New(to, livetrace.WithColours(f.Out.Colour), livetrace.WithWidth(f.Out.Columns()))
	begun := false
	var last *client.Description
	for {
		d, err := f.Instances.Describe(ctx, f.Instance)
		switch {
		case ctx.Err() != nil:
			return client.Description{}, &client.WaitError{Instance: f.Instance, Last: last, Err: ctx.Err()}
		case errors.Is(err, client.ErrNotFound):
			if !begun && last == nil {
				fmt.Fprintf(f.Notes, "%s has no record yet: waiting for its start\n", printable.Line(f.Instance))
			}
			begun = true
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

// look shows what is new of the instance.
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

// show shows the turns of an execution behind the last event that was shown.
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
				// What cannot be written is not read either: the pipe has gone.
				_ = f.Line(api.EventOf(&t.Events[j], true))
			}
		case !f.Out.Person:
			views.EventRows(f.Out, t.ExecutionID, t.Events, 0)
		default:
			f.trace.Committed(host.Committed{Turns: []store.Turn{*t}})
		}
	}
}

// tell says that the instance is stuck, or goes on.
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
