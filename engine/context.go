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

// Context is what orchestration code sees of its execution. It carries a scope
// only: a durable call blocks the coroutine that runs, whichever context it was
// given (rule 10).
type Context struct {
	x     *Execution
	scope *scope
	// headers that what is started with it gets besides those of the start.
	headers map[string]string
	// label of what is started with it, for people.
	label string
}

// Info is what an orchestration can learn about itself.
type Info struct {
	Instance    string
	ExecutionID int64
	Name        string
	Version     string
	// HistoryLength is the id of the last event that was visited or that the
	// code has made, whichever is later: the same in live turn and replay, and
	// however the arrivals were cut into turns.
	HistoryLength int64
	// ContinueAsNewSuggested is set from 4,096 events on: a replay from nothing
	// takes its time, and a history has a limit. It never changes for a given
	// HistoryLength, for the code acts on it.
	ContinueAsNewSuggested bool
	// Headers of what is started with the context, nil for none: those that came
	// with the start, and those of WithHeaders. Not to be changed.
	Headers map[string]string
}

// longHistory is part of what replays are made of: never change it.
const longHistory = 4096

// Info returns what is known of the execution. Outside its running code nothing
// is known of the length.
func (c *Context) Info() Info {
	info := c.x.info
	info.Headers = header.Merge(info.Headers, c.headers)
	if c.x.owned() {
		info.HistoryLength = c.x.reached()
		info.ContinueAsNewSuggested = info.HistoryLength >= longHistory
	}
	return info
}

// reached is the id of the last event that was visited or that the code has made,
// whichever is later.
func (x *Execution) reached() int64 { return max(x.cursor.visiting, x.cursor.scheduled) }

// Sealed reports whether the text of payloads is to be kept out of errors,
// because payloads are sealed where they are stored. It says how this process is
// set up: nothing that the code does may hang on it.
func (c *Context) Sealed() bool { return c.x.cfg.Options.Conceal != nil }

// Err returns the error of a cancelled scope, nil while it is not cancelled;
// outside the running code ErrNotRunning.
func (c *Context) Err() error {
	if !c.x.owned() {
		return c.x.notOwned("Err")
	}
	if err := c.scope.cancelled(); err != nil {
		return err
	}
	return nil
}

// enter is what every durable call does first: it returns the coroutine that
// runs, or why the call can't be made.
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

// enterUnrecorded is enter for calls that record nothing and wait for nothing,
// which interceptors may make too.
func (x *Execution) enterUnrecorded(call, name string) (*coroutine, error) {
	if !x.owned() {
		return nil, x.notOwned(named(call, name))
	}
	c := x.current
	if x.closed.Load() && !c.stopping {
		// The turn went on without this code, which had blocked (rule 10).
		runtime.Goexit()
	}
	switch {
	case c.unwinding:
		if c.unwindCalls++; c.unwindCalls > maxUnwindCalls {
			runtime.Goexit()
		}
		return nil, fmt.Errorf("%s: %w", named(call, name), ErrUnwinding)
	case x.nested != "":
		return nil, nestedIn(named(call, name), x.nested)
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

// ActivityCall is an activity to schedule.
type ActivityCall struct {
	Name  string
	Input []byte
	// Lent: Input is the caller's again when the call returns; what is recorded
	// is a copy.
	Lent  bool
	Retry *history.Retry
	// Inline runs it inside the turn instead of sending it to a queue.
	Inline bool
	// Normalize compares inputs on replay where their bytes differ.
	Normalize Normalizer
}

// Activity schedules an activity.
func (c *Context) Activity(call ActivityCall) *Future {
	want := history.Event{Kind: history.ActivityScheduled, Name: call.Name, Payload: call.Input, Inline: call.Inline, Retry: call.Retry, Headers: c.headers, Label: c.label}
	if call.Lent && c.x.owned() && c.x.cursor.live {
		want.Payload = bytes.Clone(call.Input)
	}
	return c.operation("activity", &want, call.Normalize)
}

// Timer creates a timer that fires d from now. Zero and negative durations are
// recorded like any other and fire without delay.
func (c *Context) Timer(d time.Duration) *Future {
	ms := d.Milliseconds()
	if d > 0 && d%time.Millisecond != 0 {
		ms++ // never early
	}
	return c.operation("timer", &history.Event{Kind: history.TimerCreated, DurationMS: ms, Label: c.label}, nil)
}

// TimerAt creates a timer that fires at a time, in Unix milliseconds. What is
// recorded and compared is its duration from when it is recorded, the same on
// every replay. A time that has passed is one of no duration.
func (c *Context) TimerAt(atMS int64) *Future {
	return c.operation("timer", &history.Event{Kind: history.TimerCreated, FireAtMS: max(atMS, 1), Label: c.label}, nil)
}

// ExternalEvent waits for an external event of that name: the oldest that is
// kept, or the next to come.
func (c *Context) ExternalEvent(name string) *Future { return c.ExternalEventIf(name, nil) }

// ExternalEventIf is ExternalEvent for a wait that rejects data: an event that
// it does not accept is consumed, its rejection recorded, and it goes on waiting.
func (c *Context) ExternalEventIf(name string, accepts Acceptor) *Future {
	f := c.operation("wait for external event", &history.Event{Kind: history.ExternalSubscribed, Name: name, Label: c.label}, nil)
	if f.state == open {
		c.x.waitExternal(f, accepts)
	}
	return f
}

// ChildCall is a sub-orchestration, or a detached one, to start.
type ChildCall struct {
	Name string
	// Version asked for; empty means the newest when it starts.
	Version string
	// Instance id; empty derives one from this instance, execution and event.
	Instance  string
	Input     []byte
	Normalize Normalizer
	// UseExisting waits for the instance that has the id already, if it runs
	// the same orchestration, in place of failing.
	UseExisting bool
	// OnParentEnd says what becomes of the child when this execution ends and
	// it still runs: history.ParentEndCancel, history.ParentEndTerminate, or
	// empty to leave it.
	OnParentEnd string
	// LimitKey and Limit: at most so many instances with this key run at a time; 0 for no
	// limit.
	LimitKey string
	Limit    int
}

func (call *ChildCall) event(c *Context, kind history.Kind) *history.Event {
	return &history.Event{Kind: kind, Headers: c.headers, Label: c.label, Name: call.Name, Version: call.Version, Payload: call.Input,
		Instance: call.Instance, ExplicitID: call.Instance != "", OnParentEnd: call.OnParentEnd, UseExisting: call.UseExisting,
		LimitKey: call.LimitKey, Limit: call.Limit}
}

// Child starts a sub-orchestration.
func (c *Context) Child(call ChildCall) *Future {
	f := c.operation("sub-orchestration", call.event(c, history.SubOrchestrationScheduled), call.Normalize)
	if f.id != 0 {
		f.child = c.x.events.at(int(f.id) - 1).Instance
	}
	return f
}

// Detach starts an orchestration that nobody waits for, and returns its
// instance id. No completion comes back.
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

// operation schedules what a completion or an external event will answer. In a
// cancelled scope nothing is recorded and the future is cancelled.
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
	// In a replay all of the events are there already.
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

// SetCustomStatus sets what describe shows; it is visible once the turn is
// committed. It is no event: replay recomputes it.
func (c *Context) SetCustomStatus(status []byte) error {
	if _, err := c.x.enterUnrecorded("SetCustomStatus", ""); err != nil {
		return err
	}
	if x := c.x; x.cursor.live && !x.run.statusSet {
		x.run.statusSet, x.run.statusWas = true, x.status
	}
	c.x.status = status
	return nil
}

// Go starts a branch: fn runs side by side with the code that started it, one
// of them at a time. It first runs when its parent blocks.
func (c *Context) Go(fn func(*Context) ([]byte, error)) *Future { return c.GoFrom(nil, fn) }

// GoFrom is Go for a branch that may make durable calls without code of the
// author's own on its stack: errors then point to origin, the callers as
// runtime.Callers gives them.
func (c *Context) GoFrom(origin []uintptr, fn func(*Context) ([]byte, error)) *Future {
	x := c.x
	f := &Future{x: x}
	if _, err := x.enter("Go", ""); err != nil {
		f.state, f.err = cancelled, err
		return f
	}
	if len(x.coroutines) >= x.cfg.Options.MaxCoroutines {
		f.state, f.err = cancelled, x.giveUp(&StuckError{Kind: StuckLimit, EventID: x.cursor.visiting, Message: fmt.Sprintf(
			"the code has more than %d branches at once, the last started at %s; use Map with a limit, or raise the limit", x.cfg.Options.MaxCoroutines, x.caller())})
		return f
	}
	f.branch = x.spawn(&Context{x: x, scope: c.scope.child(false), headers: c.headers, label: c.label}, fn)
	f.branch.future, f.branch.origin = f, origin
	c.scope.add(f)
	return f
}
