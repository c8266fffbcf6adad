package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
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

func watchCommand() *command {
	return &command{
		name: "watch", operands: "INSTANCE", least: 1, most: 1, also: []string{"follow", "tail", "attach"}, words: firstInstance(notEnded...),
		short: "show an instance at work, turn by turn, until it has ended",
		long: paragraph(
			"Shows each turn as it is committed: what arrived, and what the code then asked for. Shows",
			"when the instance gets stuck, and why, and when it goes on. It begins with the current",
			"execution (--new: with the next turn), follows continue-as-new, waits for an instance that",
			"has no record yet, and ends with the instance and the exit status of wait. Ctrl-C ends only",
			"the command. It polls: each time it reads the record, and the history if that may have grown."),
		examples: []string{"turnstile watch order-17", "turnstile watch order-17 --new --every 5s", "turnstile watch order-17 --output json | jq .kind"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var w watching
			flags.DurationVar(&w.every, "every", time.Second, "the `TIME` between two reads, 200ms or more")
			flags.DurationVar(&w.timeout, "timeout", 0, "give up after this `TIME`; default never")
			flags.BoolVar(&w.onlyNew, "new", false, "leave out what has happened so far")
			return func(ctx context.Context, operands []string) error {
				if w.every < 200*time.Millisecond {
					return usagef("--every %s: at least 200ms", w.every)
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				ctx, cancel := bound(ctx, w.timeout)
				defer cancel()
				w.cli, w.Instances, w.instance = c, cl, operands[0]
				return w.run(ctx)
			}
		},
	}
}

// watching shows an instance at work.
type watching struct {
	*cli
	backend.Instances
	instance       string
	every, timeout time.Duration
	onlyNew        bool

	trace *livetrace.Trace
	// rows is where events are printed as rows; nil at a terminal.
	rows *term.Screen
	// execution and last are the last event that was shown.
	execution, last int64
	// problem that was told last; "" for none.
	problem string
}

func (w *watching) run(ctx context.Context) error {
	to, screen := w.out, w.screen(w.out)
	if !screen.Person {
		// Rows go to a program; what is not a row is for the person who runs it.
		w.rows, to = screen, w.err
	}
	w.trace = livetrace.New(to, livetrace.WithColours(screen.Colour), livetrace.WithWidth(screen.Columns()))
	begun := false
	var last *client.Description
	for {
		d, err := w.Describe(ctx, w.instance)
		switch {
		case ctx.Err() != nil:
			return &client.WaitError{Instance: w.instance, Last: last, Err: ctx.Err()}
		case errors.Is(err, client.ErrNotFound):
			if !begun && last == nil {
				fmt.Fprintf(w.err, "%s has no record yet: waiting for its start\n", printable.Line(w.instance))
			}
			begun = true
		case errors.Is(err, store.ErrUnavailable):
		case err != nil:
			return err
		default:
			first := last == nil
			last = &d
			if err := w.look(ctx, &d, first && w.onlyNew); err != nil && ctx.Err() == nil {
				return err
			}
			if d.Status.Terminal() {
				return w.ended(&d)
			}
		}
		if !w.sleep(ctx, w.every) {
			return &client.WaitError{Instance: w.instance, Last: last, Err: ctx.Err()}
		}
	}
}

// look shows what is new of the instance.
func (w *watching) look(ctx context.Context, d *client.Description, skip bool) error {
	if w.execution == 0 {
		w.execution = d.ExecutionID
	}
	for ; ; w.execution, w.last = w.execution+1, 0 {
		x, err := w.Export(ctx, w.instance, w.execution)
		if err != nil {
			if d.Status == client.StatusCorrupt {
				break // Its problem says why.
			}
			return err
		}
		w.show(x, skip)
		if w.execution >= d.ExecutionID {
			break
		}
	}
	w.tell(d)
	return nil
}

// show shows the turns of an execution behind the last event that was shown.
func (w *watching) show(x history.Export, skip bool) {
	turns, known := exports.Turns(x)
	if !known && len(x.Events) > 0 {
		turns = []store.Turn{{Instance: x.Instance, ExecutionID: x.ExecutionID, Events: x.Events}}
	}
	for i := range turns {
		t := &turns[i]
		if t.Last() <= w.last {
			continue
		}
		if first := t.First(); first <= w.last {
			t.Events = t.Events[w.last-first+1:]
		}
		w.last = t.Last()
		switch {
		case skip:
		case w.json():
			for j := range t.Events {
				// What cannot be written is not read either: the pipe has gone.
				_ = w.printLine(api.EventOf(&t.Events[j], true))
			}
		case w.rows != nil:
			views.EventRows(w.rows, t.ExecutionID, t.Events, 0)
		default:
			w.trace.Committed(host.Committed{Turns: []store.Turn{*t}})
		}
	}
}

// tell says that the instance is stuck, or goes on.
func (w *watching) tell(d *client.Description) {
	text := ""
	if d.Problem != nil {
		text = fmt.Sprint(d.Problem.Kind, d.Problem.EventID, d.Problem.Message)
	}
	if text == w.problem || d.Status.Terminal() {
		return
	}
	w.problem = text
	if !w.json() {
		w.trace.ProblemChanged(host.ProblemChange{Instance: d.Instance, ExecutionID: d.ExecutionID, Problem: d.Problem, At: w.now()})
	}
}

// ended shows how the instance ended.
func (w *watching) ended(d *client.Description) error {
	if !w.json() {
		w.trace.Outcome(*d)
	}
	if d.Status == client.StatusCompleted {
		return nil
	}
	return badEndError{endedBadly(d)}
}
