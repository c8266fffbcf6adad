package engine

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/header"
)

// Context is the orchestration code's view of its execution. Its only state is a scope: a durable
// call blocks the running coroutine, no matter which Context the call was made on (rule 10).
type Context struct {
	x     *Execution
	scope *scope
	// headers for everything that is started with this context, in addition to those of
	// the start.
	headers map[string]string
	// label for everything that is started with this context, for people.
	label string
}

// Info describes the execution to its own code.
type Info struct {
	Instance    string
	ExecutionID int64
	Name        string
	Version     string
	// HistoryLength is the id of the last event that was visited or that the code has recorded,
	// whichever is higher. It is the same in a live turn and in a replay, however arrivals were
	// divided into turns.
	HistoryLength int64
	// ContinueAsNewSuggested is set from 4,096 events on, because a cold replay takes
	// time and the length of a history is limited. It depends on HistoryLength alone,
	// because code makes decisions with it.
	ContinueAsNewSuggested bool
	// Headers for everything that is started with this context: the headers of the start and of
	// WithHeaders; nil for none. Do not modify the map.
	Headers map[string]string
}

// longHistory affects what replayed code does: never change it.
const longHistory = 4096

// Info returns a description of the execution. If it is called outside the running code,
// HistoryLength is 0.
func (c *Context) Info() Info {
	info := c.x.info
	info.Headers = header.Merge(info.Headers, c.headers)
	if c.x.owned() {
		info.HistoryLength = c.x.reached()
		info.ContinueAsNewSuggested = info.HistoryLength >= longHistory
	}
	return info
}

// reached returns the id of the last event that was visited or that the code has recorded,
// whichever is higher.
func (x *Execution) reached() int64 { return max(x.cursor.visiting, x.cursor.scheduled) }

// Encoded reports whether payloads must be kept out of error texts, because stored
// payloads are encoded with a codec. It describes the configuration of this process, so
// code must not make decisions with it.
func (c *Context) Encoded() bool { return c.x.cfg.Options.Conceal != nil }

// Err returns the error of a cancelled scope, or nil if it is not cancelled. Outside the
// running code it returns a *MisuseError that wraps ErrNotRunning.
func (c *Context) Err() error {
	if !c.x.owned() {
		return c.x.notOwned("Err")
	}
	if err := c.scope.cancelled(); err != nil {
		return err
	}
	return nil
}

// enter is the first step of every durable call. It returns the coroutine that runs, or
// an error if the call is not allowed.
func (x *Execution) enter(call, name string) (*coroutine, error) {
	c, err := x.enterUnrecorded(call, name)
	if err == nil && x.intercepted != "" {
		err := nestedIn(named(call, name), x.intercepted)
		if x.barred == nil {
			x.barred = err
		}
		return nil, err
	}
	return c, err
}

// enterUnrecorded is enter for calls that neither record nor wait. Interceptors may make
// them too.
func (x *Execution) enterUnrecorded(call, name string) (*coroutine, error) {
	if !x.owned() {
		return nil, x.notOwned(named(call, name))
	}
	c := x.current
	if x.closed.Load() && !c.stopping {
		// The turn continued without this code because the code blocked (rule 10).
		runtime.Goexit()
	}
	switch {
	case c.unwinding:
		if c.unwindCalls++; c.unwindCalls > maxUnwindCalls {
			runtime.Goexit()
		}
		return nil, fmt.Errorf("%s: %w", named(call, name), ErrUnwinding)
	case x.nested != "":
		err := nestedIn(named(call, name), x.nested)
		if c.query && x.asked == nil {
			x.asked = err
		}
		return nil, err
	}
	x.progress.Add(1)
	return c, nil
}

func named(call, name string) string {
	if name == "" {
		return call
	}
	return call + " " + name
}

// ActivityCall describes an activity to schedule.
type ActivityCall struct {
	Name  string
	Input []byte
	// Lent is set if the caller reuses Input after the call returns, so that a copy must be
	// recorded.
	Lent  bool
	Retry *history.Retry
	// Inline runs the activity inside the turn instead of sending it to a queue.
	Inline bool
	// Normalize is used on replay to compare inputs whose bytes differ.
	Normalize Normalizer
}

// Activity schedules an activity and returns its future.
func (c *Context) Activity(call ActivityCall) *Future {
	want := history.Event{Kind: history.ActivityScheduled, Name: call.Name, Payload: call.Input, Inline: call.Inline, Retry: call.Retry, Headers: c.headers, Label: c.label}
	if call.Lent && c.x.owned() && c.x.cursor.live {
		want.Payload = bytes.Clone(call.Input)
	}
	return c.operation("activity", &want, call.Normalize)
}

// Timer creates a timer that fires d from now, rounded up to milliseconds. Zero and
// negative durations are recorded like any other, and the timer fires without delay.
func (c *Context) Timer(d time.Duration) *Future {
	ms := d.Milliseconds()
	if d > 0 && d%time.Millisecond != 0 {
		ms++ // never early
	}
	return c.operation("timer", &history.Event{Kind: history.TimerCreated, DurationMS: ms, Label: c.label}, nil)
}

// TimerAt creates a timer that fires at a time in Unix milliseconds. It records and
// compares the duration from the time of the event, so every replay computes the same
// value. For a time in the past the duration is 0.
func (c *Context) TimerAt(atMS int64) *Future {
	return c.operation("timer", &history.Event{Kind: history.TimerCreated, FireAtMS: max(atMS, 1), Label: c.label}, nil)
}

// ExternalEvent waits for an external event with this name: the oldest kept event, or the next that
// arrives.
func (c *Context) ExternalEvent(name string) *Future { return c.ExternalEventIf(name, nil) }

// ExternalEventIf is ExternalEvent with an acceptor. If the acceptor rejects an event, the event is
// consumed, the rejection is recorded, and the wait continues.
func (c *Context) ExternalEventIf(name string, accepts Acceptor) *Future {
	f := c.operation("wait for external event", &history.Event{Kind: history.ExternalSubscribed, Name: name, Label: c.label}, nil)
	if f.state == open {
		c.x.waitExternal(f, accepts)
	}
	return f
}

// ChildCall describes a sub-orchestration or a detached orchestration to start.
type ChildCall struct {
	Name string
	// Version to start; empty means the newest at the time of the start.
	Version string
	// Instance is the id of the child; empty derives one from this instance, its
	// execution and the event.
	Instance  string
	Input     []byte
	Normalize Normalizer
	// UseExisting makes the parent wait for the existing instance with this id, if that instance
	// runs the same orchestration. Otherwise the child fails if its id is in use.
	UseExisting bool
	// OnParentEnd is what happens to the child if it is still running when this execution ends:
	// history.ParentEndCancel, history.ParentEndTerminate, or empty to let it run.
	OnParentEnd string
	// LimitKey and Limit allow at most Limit instances with this key to run at a time; 0
	// means no limit.
	LimitKey string
	Limit    int
}

func (call *ChildCall) event(c *Context, kind history.Kind) *history.Event {
	return &history.Event{Kind: kind, Headers: c.headers, Label: c.label, Name: call.Name, Version: call.Version, Payload: call.Input,
		Instance: call.Instance, ExplicitID: call.Instance != "", OnParentEnd: call.OnParentEnd, UseExisting: call.UseExisting,
		LimitKey: call.LimitKey, Limit: call.Limit}
}

// Child starts a sub-orchestration and returns its future.
func (c *Context) Child(call ChildCall) *Future {
	f := c.operation("sub-orchestration", call.event(c, history.SubOrchestrationScheduled), call.Normalize)
	if f.id != 0 {
		f.child = c.x.events.at(int(f.id) - 1).Instance
	}
	return f
}

// Detach starts an orchestration as an independent instance, and returns the instance id. The
// result of that instance is not reported.
func (c *Context) Detach(call ChildCall) (instance string, err error) {
	if _, err := c.x.enter("Detach", call.Name); err != nil {
		return "", err
	}
	if err := c.Err(); err != nil {
		return "", err
	}
	e, err := c.x.schedule(call.event(c, history.OrchestrationChained), call.Normalize)
	if err != nil {
		return "", err
	}
	return e.Instance, nil
}

// operation schedules an operation that a completion or an external event will complete.
// In a cancelled scope it records nothing and returns a cancelled future.
func (c *Context) operation(call string, want *history.Event, normalize Normalizer) *Future {
	x := c.x
	if _, err := x.enter(call, want.Name); err != nil {
		return &Future{x: x, kind: want.Kind, name: want.Name, inline: want.Inline, state: cancelled, err: err, refused: true}
	}
	f := x.newFuture()
	f.kind, f.name, f.inline = want.Kind, want.Name, want.Inline
	if err := c.scope.cancelled(); err != nil {
		x.readySeq++
		f.state, f.seq, f.err = cancelled, x.readySeq, err.of(strings.TrimSpace(call+" "+want.Name))
		return f
	}
	e, err := x.schedule(want, normalize)
	if err != nil {
		f.state, f.err = cancelled, err
		return f
	}
	f.id = e.EventID
	c.scope.add(f)
	x.openOps++
	// In a replay all events are already known, so make room for them at once.
	x.ops.reserve(x.events.len() + turnRoom)
	for x.ops.len() < int(f.id)-1 {
		x.ops.append(nil)
	}
	x.ops.append(f)
	if f.inline {
		x.openInline.push(f)
	}
	return f
}

// Go starts a branch: fn runs concurrently with the code that started it, but only one of
// them runs at a time. fn first runs when its parent blocks.
func (c *Context) Go(fn func(*Context) ([]byte, error)) *Future { return c.GoFrom(nil, fn) }

// GoFrom is Go for a branch whose durable calls may have none of the author's code on their stack.
// Errors then point to origin, the callers as returned by runtime.Callers.
func (c *Context) GoFrom(origin []uintptr, fn func(*Context) ([]byte, error)) *Future {
	x := c.x
	f := &Future{x: x}
	if _, err := x.enter("Go", ""); err != nil {
		f.state, f.err = cancelled, err
		return f
	}
	if len(x.coroutines) >= x.cfg.Options.MaxCoroutines {
		f.state, f.err = cancelled, x.giveUp(&StuckError{Kind: StuckLimit, EventID: x.cursor.visiting, Message: fmt.Sprintf(
			"the code has more than %d branches at a time, the last one started at %s; use Map with a limit, or raise the limit", x.cfg.Options.MaxCoroutines, x.caller())})
		return f
	}
	f.branch = x.spawn(&Context{x: x, scope: c.scope.child(false), headers: c.headers, label: c.label}, fn)
	f.branch.future, f.branch.origin = f, origin
	c.scope.add(f)
	return f
}
