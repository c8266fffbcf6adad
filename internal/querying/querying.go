// Package querying answers queries: it replays the code of an instance in a copy, which no turn ever
// uses, and asks a handler that the code has registered. It writes and sends nothing.
package querying

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/near"
	"github.com/turnstile-go/turnstile/internal/rehearsal"
	"github.com/turnstile-go/turnstile/store"
)

// Limit is how long a query may take, in real time.
const Limit = 10 * time.Second

// Of says what is asked.
type Of struct {
	Instance    string
	ExecutionID int64
	// Query is the name of the query, Input its input as JSON.
	Query string
	Input []byte
	// NowMS is the time, in Unix milliseconds.
	NowMS int64
	// Encoded keeps the text of payloads out of errors.
	Encoded bool
}

// Answer is the answer of the code.
type Answer struct {
	Output []byte
	// ReadTo is the last event that the code had processed when it answered, Last the last event of the
	// history.
	ReadTo, Last int64
	// Problem says why the code did not process later events, if it cannot; nil otherwise.
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

// Error says why there is no answer.
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

// Ask replays the turns of an execution, opened and from the first, and asks the code. The error is an
// *Error, that of a damaged history, or the error of ctx. Code that does not return in time is left to
// its goroutine.
func Ask(ctx context.Context, registry *engine.Registry, of Of, turns []store.Turn) (Answer, error) {
	limited, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	type result struct {
		answer Answer
		err    error
	}
	done := make(chan result, 1)
	go func() {
		r := result{err: &Error{Kind: Panicked, Message: "the handler called runtime.Goexit; return an error instead"}}
		defer func() { done <- r }()
		r.answer, r.err = ask(registry, of, turns)
	}()
	select {
	case r := <-done:
		return r.answer, r.err
	case <-limited.Done():
	}
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	return Answer{}, &Error{Kind: Blocked, Message: fmt.Sprintf("there was no answer within %s: the handler blocks, or the code takes too long to replay; a handler must only read variables", Limit)}
}

func ask(registry *engine.Registry, of Of, turns []store.Turn) (Answer, error) {
	a := Answer{Last: turns[len(turns)-1].Last()}
	x, turn, err := replay(registry, of, turns, a.Last)
	if err != nil {
		return Answer{}, err
	}
	defer func() { x.Close() }()
	to := a.Last
	if s := turn.Suspended; s != nil {
		// The code has not seen what came after the suspend.
		to = s.EventID - 1
		x.Close()
		if x, turn, err = replay(registry, of, turns, to); err != nil {
			return Answer{}, err
		}
	}
	if stuck := cmp.Or(turn.Stuck, turn.Instead); stuck != nil {
		if to = x.ReadTo(); stuck.Kind == engine.StuckNotRegistered {
			return Answer{}, &Error{Kind: NotRegistered, Message: stuck.Message}
		}
		last := turns[len(turns)-1].Events
		if to == 0 || last[len(last)-1].Kind.Terminal() {
			return Answer{}, &Error{Kind: Disagrees, EventID: stuck.EventID, Message: stuck.Message, Stack: stuck.Stack}
		}
		a.Problem = rehearsal.ProblemOf(stuck)
		x.Close()
		if x, turn, err = replay(registry, of, turns, to); err != nil {
			return Answer{}, err
		}
		if again := cmp.Or(turn.Stuck, turn.Instead); again != nil {
			return Answer{}, &Error{Kind: Disagrees, EventID: again.EventID, Message: again.Message, Stack: again.Stack}
		}
	}
	a.ReadTo = x.ReadTo()
	names := x.Queries()
	switch {
	case slices.Contains(names, of.Query):
	case a.ReadTo == 0:
		return Answer{}, &Error{Kind: NotRun, Message: "its code has not run yet"}
	case len(names) == 0:
		return Answer{}, &Error{Kind: Unknown, Message: "its code handles no queries so far; register the handler before the code waits for the first time"}
	default:
		return Answer{}, &Error{Kind: Unknown, Message: "its code handles " + strings.Join(names, ", ") + near.Hint(of.Query, names)}
	}
	a.Output, err = x.Query(of.Query, of.Input)
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

// replay runs the code through the events up to one of them.
func replay(registry *engine.Registry, of Of, turns []store.Turn, to int64) (*engine.Execution, engine.Turn, error) {
	options := engine.Options{ReadOnly: true}
	if of.Encoded {
		options.Conceal = func([]byte) string { return "a sealed payload" }
	}
	x := engine.New(engine.Config{Instance: of.Instance, ExecutionID: of.ExecutionID, Registry: registry, Options: options})
	x.Reserve(int(to))
	for i := range turns {
		t := &turns[i]
		events := t.Events[:min(int64(len(t.Events)), max(to+1-t.First(), 0))]
		if err := x.Feed(events, t.Parked); err != nil {
			return nil, engine.Turn{}, err
		}
	}
	turn, err := x.Run(engine.Input{NowMS: of.NowMS})
	return x, turn, err
}
