package engine_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// fixture drives one execution of one orchestration manually.
type fixture struct {
	t       testing.TB
	reg     *engine.Registry
	opts    engine.Options
	events  []history.Event // committed
	parked  bool
	last    engine.Turn
	nowMS   int64
	name    string
	version string
}

func newFixture(t testing.TB, fn engine.Func) *fixture {
	t.Helper()
	return newFixtureOf(t, engine.Orchestration{Name: "Test", Func: fn, Source: "here"})
}

func newFixtureOf(t testing.TB, o engine.Orchestration) *fixture {
	t.Helper()
	reg, err := engine.NewRegistry(o)
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{t: t, reg: reg, name: o.Name, version: o.Version, nowMS: 1_700_000_000_000}
}

func (f *fixture) replaceCode(fn engine.Func) {
	f.t.Helper()
	reg, err := engine.NewRegistry(engine.Orchestration{Name: f.name, Version: f.version, Func: fn, Source: "there"})
	if err != nil {
		f.t.Fatal(err)
	}
	f.reg = reg
}

func (f *fixture) cold() *engine.Execution {
	f.t.Helper()
	execution := int64(1)
	if len(f.events) > 0 && f.events[0].Start != nil {
		execution = f.events[0].Start.ExecutionID
	}
	x := engine.New(engine.Config{Instance: "i", ExecutionID: execution, Registry: f.reg, Options: f.opts})
	if len(f.events) > 0 {
		if err := x.Feed(f.events, f.parked); err != nil {
			f.t.Fatal(err)
		}
	}
	return x
}

func start(input string) engine.Arrival {
	return engine.Arrival{Event: history.Event{Kind: history.OrchestrationStarted, Name: "Test", Payload: []byte(input),
		Start: &history.Start{ExecutionID: 1, StartID: "s1"}}}
}

func completed(source int64, result string) engine.Arrival {
	return engine.Arrival{Event: history.Event{Kind: history.ActivityCompleted, SourceEventID: source, Payload: []byte(result)}, Proven: true, ExecutionID: 1}
}

func failed(source int64, message string) engine.Arrival {
	return engine.Arrival{Event: history.Event{Kind: history.ActivityFailed, SourceEventID: source,
		Failure: &history.Failure{Kind: history.FailureApplication, Message: message}}, Proven: true, ExecutionID: 1}
}

func fired(source int64) engine.Arrival {
	return engine.Arrival{Event: history.Event{Kind: history.TimerFired, SourceEventID: source}, Proven: true, ExecutionID: 1}
}

func event(name, data string) engine.Arrival {
	return engine.Arrival{Event: history.Event{Kind: history.ExternalEvent, Name: name, Payload: []byte(data)}}
}

func cancelRequest(reason string) engine.Arrival {
	return engine.Arrival{Event: history.Event{Kind: history.OrchestrationCancelRequested, Reason: reason}}
}

// turn makes a cold turn and commits it.
func (f *fixture) turn(arrivals ...engine.Arrival) engine.Turn {
	f.t.Helper()
	x := f.cold()
	defer x.Close()
	return f.turnOn(x, arrivals...)
}

func (f *fixture) turnOn(x *engine.Execution, arrivals ...engine.Arrival) engine.Turn {
	f.t.Helper()
	f.nowMS += 1000
	turn, err := x.Run(engine.Input{NowMS: f.nowMS, Arrivals: arrivals})
	if err != nil {
		f.t.Fatal(err)
	}
	f.commit(turn)
	return turn
}

func (f *fixture) commit(turn engine.Turn) {
	f.events = append(f.events[:len(f.events):len(f.events)], turn.Events...)
	if len(turn.Events) > 0 {
		f.parked = turn.Parked
	}
	f.last = turn
}

// replaysCleanly checks that a replay gives no new event, no error, and the same outcome.
func (f *fixture) replaysCleanly() {
	f.t.Helper()
	x := f.cold()
	defer x.Close()
	turn, err := x.Run(engine.Input{NowMS: f.nowMS + 5000})
	if err != nil {
		f.t.Fatalf("replay: %v", err)
	}
	if turn.Stuck != nil {
		f.t.Fatalf("replay is stuck: %v\nhistory:\n%s", turn.Stuck, show(f.events))
	}
	if len(turn.Events) > 0 || len(turn.Cancelled) > 0 || len(turn.Logs) > 0 {
		f.t.Fatalf("replay adds events %s, cancels %v\nhistory:\n%s", show(turn.Events), turn.Cancelled, show(f.events))
	}
}

func (f *fixture) wantHistory(want ...string) {
	f.t.Helper()
	var got []string
	for i := range f.events {
		got = append(got, brief(&f.events[i]))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		f.t.Fatalf("history is\n%q\nwant\n%q", got, want)
	}
}

func show(events []history.Event) string {
	var b bytes.Buffer
	for i := range events {
		fmt.Fprintln(&b, brief(&events[i]))
	}
	return b.String()
}

// brief formats an event in the short form of the scenarios.
func brief(e *history.Event) string {
	switch e.Kind {
	case history.OrchestrationStarted:
		return fmt.Sprintf("%d Started", e.EventID)
	case history.ActivityScheduled:
		mode := ""
		if e.Inline {
			mode = "inline "
		}
		return fmt.Sprintf("%d %sAct(%s)", e.EventID, mode, e.Name)
	case history.TimerCreated:
		return fmt.Sprintf("%d Timer(%dms)", e.EventID, e.DurationMS)
	case history.ExternalSubscribed:
		return fmt.Sprintf("%d Sub(%s)", e.EventID, e.Name)
	case history.SubOrchestrationScheduled:
		return fmt.Sprintf("%d Child(%s)", e.EventID, e.Name)
	case history.OrchestrationChained:
		return fmt.Sprintf("%d Chained(%s)", e.EventID, e.Name)
	case history.SystemCall:
		return fmt.Sprintf("%d Sys(%s)", e.EventID, e.Op)
	case history.ActivityCompleted, history.SubOrchestrationCompleted:
		return fmt.Sprintf("%d Done←%d", e.EventID, e.SourceEventID)
	case history.ActivityFailed, history.SubOrchestrationFailed:
		return fmt.Sprintf("%d Fail←%d", e.EventID, e.SourceEventID)
	case history.TimerFired:
		return fmt.Sprintf("%d Fired←%d", e.EventID, e.SourceEventID)
	case history.ExternalEvent:
		return fmt.Sprintf("%d Ev(%s)", e.EventID, e.Name)
	case history.OrchestrationCancelRequested:
		return fmt.Sprintf("%d CancelRequested", e.EventID)
	case history.OrchestrationCompleted:
		return fmt.Sprintf("%d Completed(%s)", e.EventID, e.Payload)
	case history.OrchestrationFailed:
		if e.Forced != "" {
			return fmt.Sprintf("%d Failed(imposed: %s)", e.EventID, e.Forced)
		}
		return fmt.Sprintf("%d Failed(%s)", e.EventID, e.Failure.Kind)
	case history.OrchestrationContinuedAsNew:
		return fmt.Sprintf("%d ContinuedAsNew(%s)", e.EventID, e.Payload)
	}
	return fmt.Sprintf("%d %s", e.EventID, e.Kind)
}

func act(c *engine.Context, name string) *engine.Future {
	return c.Activity(engine.ActivityCall{Name: name})
}

func call(c *engine.Context, name string) (string, error) {
	v, err := c.Await(act(c, name))
	return string(v), err
}
