// Package querying answers queries: it replays the code of an instance in a copy, which no turn ever
// uses, and calls the handler that the code has registered. It writes and sends nothing.
package querying

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/near"
	"github.com/turnstile-go/turnstile/internal/panics"
	"github.com/turnstile-go/turnstile/internal/rehearsal"
	"github.com/turnstile-go/turnstile/internal/watchdog"
	"github.com/turnstile-go/turnstile/store"
)

// Limit is how long a query may take, in real time.
const Limit = 10 * time.Second

// Of is the request.
type Of struct {
	Instance    string
	ExecutionID int64
	// Query is the name of the query, Input its input as JSON.
	Query string
	Input []byte
	// NowMS is the time, in Unix milliseconds.
	NowMS int64
	// Encoded is set if errors must not contain the text of payloads.
	Encoded bool
}

// Answer is the answer of the code.
type Answer struct {
	Output []byte
	// ReadTo is the last event that the code had processed when it answered, Last the last event of the
	// history.
	ReadTo, Last int64
	// Problem is why the code cannot process later events; nil if it can.
	Problem *store.Problem
}

// The kinds of an Error.
const (
	Unknown       = "unknown"        // the code handles no query of that name
	NotRun        = "not_run"        // the code has not run yet
	NotRegistered = "not_registered" // this build lacks the orchestration or its version
	Disagrees     = "disagrees"      // the code no longer agrees with the history
	DurableCall   = "durable_call"   // the handler made a durable call
	Panicked      = "panic"          // the handler panicked
	Blocked       = "blocked"        // there was no answer within Limit
	Failed        = "failed"         // the handler returned an error
)

// Error is returned if there is no answer.
type Error struct {
	Kind, Message string
	// EventID at which the code disagrees; 0 for other kinds.
	EventID int64
	Stack   string
	Err     error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the error of the handler; nil for other kinds than Failed.
func (e *Error) Unwrap() error { return e.Err }

// Ask replays the turns of an execution, decoded and from the first one on, and queries the code. The
// error is an *Error, that of a damaged history, or the error of ctx. Code that does not return in time
// is left to its goroutine, which closes the copy if the code returns after all.
func Ask(ctx context.Context, registry *engine.Registry, of Of, turns []store.Turn) (Answer, error) {
	limited, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	type result struct {
		answer Answer
		err    error
	}
	started, answered, closed := make(chan string, 1), make(chan result, 1), make(chan struct{})
	go func() {
		defer close(closed)
		started <- watchdog.Goroutine()
		r := result{err: &Error{Kind: Panicked, Message: "the handler called runtime.Goexit; return an error instead"}}
		c := &replica{ctx: limited, registry: registry, of: of, turns: turns}
		defer c.close()
		defer func() { answered <- r }()
		r.answer, r.err = c.ask()
	}()
	select {
	case <-closed:
	case <-limited.Done():
	}
	select {
	case r := <-answered:
		// If time is up, either a deferred function of the code blocks, which does not change the answer,
		// or the code stopped in time to see it.
		if over := limited.Err(); over == nil || r.err != over {
			return r.answer, r.err
		}
	default:
	}
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	stack := panics.Stack(watchdog.StackOf(<-started))
	place := panics.Place(stack)
	if place != "" {
		place = " at " + place
	}
	return Answer{}, &Error{Kind: Blocked, Stack: stack, Message: fmt.Sprintf("there was no answer within %s: the handler or the code blocks, or takes too long%s; a handler must only read variables, and code must wait with durable operations", Limit, place)}
}

type twice struct{}

// Twice returns a context in which Ask calls the handler two times on one copy, and returns an Error if
// the answers differ. Tests use it to find handlers that change variables.
func Twice(ctx context.Context) context.Context { return context.WithValue(ctx, twice{}, true) }

// replica replays the code of an execution, more than once if the code cannot process all events.
type replica struct {
	ctx      context.Context
	registry *engine.Registry
	of       Of
	turns    []store.Turn
	x        *engine.Execution // the last replay; nil before the first
}

func (c *replica) close() {
	if c.x != nil {
		c.x.Close()
	}
}

func (c *replica) ask() (Answer, error) {
	last := &c.turns[len(c.turns)-1]
	a := Answer{Last: last.Last()}
	turn, err := c.replay(a.Last)
	if err != nil {
		return Answer{}, err
	}
	to := a.Last
	if s := turn.Suspended; s != nil {
		// The code has not seen what came after the suspend.
		to = s.EventID - 1
		if turn, err = c.replay(to); err != nil {
			return Answer{}, err
		}
	}
	if stuck := cmp.Or(turn.Stuck, turn.Instead); stuck != nil {
		if to = c.x.ReadTo(); stuck.Kind == engine.StuckNotRegistered {
			return Answer{}, &Error{Kind: NotRegistered, Message: stuck.Message}
		}
		if to == 0 || last.Events[len(last.Events)-1].Kind.Terminal() {
			return Answer{}, &Error{Kind: Disagrees, EventID: stuck.EventID, Message: stuck.Message, Stack: stuck.Stack}
		}
		a.Problem = rehearsal.ProblemOf(stuck)
		if turn, err = c.replay(to); err != nil {
			return Answer{}, err
		}
		if again := cmp.Or(turn.Stuck, turn.Instead); again != nil {
			return Answer{}, &Error{Kind: Disagrees, EventID: again.EventID, Message: again.Message, Stack: again.Stack}
		}
	}
	a.ReadTo = c.x.ReadTo()
	names := c.x.Queries()
	switch {
	case slices.Contains(names, c.of.Query):
	case a.ReadTo == 0:
		return Answer{}, &Error{Kind: NotRun, Message: "its code has not run yet"}
	case len(names) == 0:
		return Answer{}, &Error{Kind: Unknown, Message: "its code handles no queries so far; register the handler before the code waits for the first time"}
	default:
		return Answer{}, &Error{Kind: Unknown, Message: "its code handles " + strings.Join(names, ", ") + near.Hint(c.of.Query, names)}
	}
	if err := c.ctx.Err(); err != nil {
		return Answer{}, err
	}
	a.Output, err = c.x.Query(c.of.Query, c.of.Input)
	if err == nil && c.ctx.Value(twice{}) != nil {
		var again []byte
		if again, err = c.x.Query(c.of.Query, c.of.Input); err == nil && !bytes.Equal(again, a.Output) {
			return Answer{}, &Error{Kind: Failed, Message: fmt.Sprintf("its handler answers %s and, asked again, %s: it must not change variables", a.Output, again)}
		}
	}
	if err == nil {
		return a, nil
	}
	if panicked, ok := errors.AsType[*engine.QueryPanicError](err); ok {
		return Answer{}, &Error{Kind: Panicked, Message: panicked.Error(), Stack: panicked.Stack}
	}
	if misuse, ok := errors.AsType[*engine.MisuseError](err); ok {
		return Answer{}, &Error{Kind: DurableCall, Message: misuse.Error() + "; a handler only reads variables"}
	}
	return Answer{}, &Error{Kind: Failed, Message: err.Error(), Err: err}
}

// replay closes the last replay, and runs the code through the events up to one of them.
func (c *replica) replay(to int64) (engine.Turn, error) {
	c.close()
	if err := c.ctx.Err(); err != nil {
		return engine.Turn{}, err
	}
	options := engine.Options{ReadOnly: true}
	if c.of.Encoded {
		options.Conceal = func([]byte) string { return "an encoded payload" }
	}
	c.x = engine.New(engine.Config{Instance: c.of.Instance, ExecutionID: c.of.ExecutionID, Registry: c.registry, Options: options})
	c.x.Reserve(int(to))
	for i := range c.turns {
		t := &c.turns[i]
		events := t.Events[:min(int64(len(t.Events)), max(to+1-t.First(), 0))]
		if err := c.x.Feed(events, t.Parked); err != nil {
			return engine.Turn{}, err
		}
	}
	return c.x.Run(engine.Input{NowMS: c.of.NowMS})
}
