package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// drain takes all events with a name that have arrived, without waiting.
func drain(c *engine.Context, name string) (string, error) {
	var took strings.Builder
	for {
		came, err := c.EventKept(name, nil)
		if err != nil || !came {
			return took.String(), err
		}
		v, err := c.Await(c.ExternalEvent(name))
		if err != nil {
			return "", err
		}
		took.Write(v)
	}
}

// drains is an orchestration that takes the events that have arrived and returns.
func drains(c *engine.Context, _ []byte) ([]byte, error) {
	took, err := drain(c, "e")
	return []byte(took), err
}

func withEvents(a engine.Arrival, data ...string) engine.Arrival {
	for i, d := range data {
		a.With = append(a.With, history.Event{Kind: history.ExternalEvent, Name: "e", Payload: []byte(d), SenderID: fmt.Sprint("w", i)})
	}
	return a
}

// warmly makes all turns on one execution.
func (f *fixture) warmly(turns ...[]engine.Arrival) {
	f.t.Helper()
	x := f.cold()
	defer x.Close()
	for _, arrivals := range turns {
		f.turnOn(x, arrivals...)
	}
}

// coldly makes each turn on a fresh execution.
func (f *fixture) coldly(turns ...[]engine.Arrival) {
	f.t.Helper()
	for _, arrivals := range turns {
		f.turn(arrivals...)
	}
}

func TestRule7EventsRecordedBeforeTheCodeRunsAreKnownToIt(t *testing.T) {
	t.Parallel()
	batch := func(arrivals ...engine.Arrival) []engine.Arrival { return arrivals }
	held := start("0")
	held.With = []history.Event{suspend("s1").Event}
	for name, turns := range map[string][][]engine.Arrival{
		"the start includes them":                   {batch(withEvents(start("0"), "1", "2"))},
		"they arrived before the code started":      {batch(held), batch(event("e", "1")), batch(event("e", "2")), batch(resume("r1"))},
		"they arrived in one batch with the resume": {batch(held), batch(event("e", "1"), event("e", "2"), resume("r1"))},
		"the start includes one of them":            {batch(withEvents(held, "1")), batch(event("e", "2"), resume("r1"))},
	} {
		for how, run := range map[string]func(*fixture, ...[]engine.Arrival){"warm": (*fixture).warmly, "cold": (*fixture).coldly} {
			f := newFixture(t, drains)
			run(f, turns...)
			if end := f.last.End(); end == nil || string(end.Payload) != "12" {
				t.Errorf("%s, %s: ended with %v, stuck %v\n%s", name, how, end, f.last.Stuck, show(f.events))
			}
			f.replaysCleanly()
		}
	}
}

func TestRule7EventsThatCameWhileNoCodeRanAreKnown(t *testing.T) {
	t.Parallel()
	code := func(c *engine.Context, _ []byte) ([]byte, error) {
		if _, err := call(c, "A"); err != nil {
			return nil, err
		}
		return drains(c, nil)
	}
	t.Run("suspended", func(t *testing.T) {
		f := newFixture(t, code)
		f.turn(start("0"))
		f.turn(suspend("s1"))
		f.turn(completed(2, "5"))
		f.turn(event("e", "1"))
		f.turn(resume("r1"))
		f.wantHistory("1 Started", "2 Act(A)", "3 OrchestrationSuspended", "4 Done←2", "5 Ev(e)", "6 OrchestrationResumed", "7 Sub(e)", "8 Completed(1)")
		f.replaysCleanly()
	})
	t.Run("stuck", func(t *testing.T) {
		f := newFixture(t, func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
		f.turn(start("0"))
		f.turn(event("e", "1"))
		f.turn(event("e", "2"), event("e", "3"))
		f.replaceCode(drains)
		f.turn()
		f.wantHistory("1 Started", "2 Ev(e)", "3 Ev(e)", "4 Ev(e)", "5 Sub(e)", "6 Sub(e)", "7 Sub(e)", "8 Completed(123)")
		f.replaysCleanly()
	})
	t.Run("parked", func(t *testing.T) {
		f := newFixture(t, code)
		f.turn(start("0"))
		for _, a := range []engine.Arrival{completed(2, "5"), event("e", "1")} {
			x := f.cold()
			turn, err := x.Run(engine.Input{NowMS: f.nowMS, Park: true, Arrivals: []engine.Arrival{a}})
			x.Close()
			if err != nil {
				t.Fatal(err)
			}
			f.commit(turn)
		}
		f.turn()
		f.wantHistory("1 Started", "2 Act(A)", "3 Done←2", "4 Ev(e)", "5 Sub(e)", "6 Completed(1)")
		f.replaysCleanly()
	})
}

// An arrival that comes later in the same batch is not part of the history yet, however
// the arrivals are divided into turns.
func TestRule2AnArrivalOfTheSameBatchIsNotKnown(t *testing.T) {
	t.Parallel()
	code := func(c *engine.Context, _ []byte) ([]byte, error) {
		none, err := drain(c, "e")
		if err != nil {
			return nil, err
		}
		if _, err := c.Await(c.ExternalEvent("go")); err != nil {
			return nil, err
		}
		took, err := drain(c, "e")
		return []byte(fmt.Sprintf("%q", none+","+took)), err
	}
	for _, cut := range [][][]engine.Arrival{
		{{start("0"), event("e", "1"), event("go", "2")}},
		{{start("0")}, {event("e", "1")}, {event("go", "2")}},
		{{start("0"), event("e", "1")}, {event("go", "2")}},
	} {
		for _, run := range []func(*fixture, ...[]engine.Arrival){(*fixture).warmly, (*fixture).coldly} {
			f := newFixture(t, code)
			run(f, cut...)
			f.wantHistory("1 Started", "2 Sub(go)", "3 Ev(e)", "4 Ev(go)", "5 Sub(e)", `6 Completed(",1")`)
			f.replaysCleanly()
		}
	}
}

// A round in which the code schedules nothing does not know the arrivals after it, live
// or replayed, although no event separates them.
func TestRule2ARoundWithoutOperationsDoesNotKnowTheNext(t *testing.T) {
	t.Parallel()
	var asked []string
	code := func(c *engine.Context, _ []byte) ([]byte, error) {
		a, b := act(c, "A"), act(c, "B")
		asked = nil
		if _, err := c.Await(a); err != nil {
			return nil, err
		}
		came, _ := c.EventKept("e", nil)
		asked = append(asked, fmt.Sprint("e ", came, ", b ", b.Ready()))
		if _, err := c.Await(b); err != nil {
			return nil, err
		}
		came, _ = c.EventKept("e", nil)
		asked = append(asked, fmt.Sprint("e ", came))
		return nil, nil
	}
	f := newFixture(t, code)
	f.coldly([]engine.Arrival{start("0")}, []engine.Arrival{completed(2, "1")}, []engine.Arrival{suspend("s1")}, []engine.Arrival{event("e", "1")},
		[]engine.Arrival{completed(3, "2"), resume("r1")})
	want := "[e false, b false e true]"
	if fmt.Sprint(asked) != want {
		t.Errorf("live: %q, want %s", asked, want)
	}
	f.replaysCleanly()
	if fmt.Sprint(asked) != want {
		t.Errorf("replayed: %q, want %s", asked, want)
	}
}

// The history of a build that did not mark events that were recorded together replays as
// it was made: its code did not know these events.
func TestRule7AHistoryWithoutMarksReplaysAsItWasMade(t *testing.T) {
	t.Parallel()
	f := newFixture(t, drains)
	f.turn(withEvents(start("0"), "1", "2"))
	f.events = f.events[:3]
	for i := range f.events {
		f.events[i].WithPrevious = false
	}
	f.events = append(f.events, history.Event{Kind: history.OrchestrationCompleted, EventID: 4})
	f.replaysCleanly()
}

func TestRule7ReadyDeliversAKnownCompletion(t *testing.T) {
	t.Parallel()
	for name, strict := range map[string]bool{"": false, "strict": true} {
		f := newFixtureOf(t, engine.Orchestration{Name: "Test", Strict: strict, Func: func(c *engine.Context, _ []byte) ([]byte, error) {
			a, timer, first, second := act(c, "A"), c.Timer(time.Second), c.ExternalEvent("e"), c.ExternalEvent("e")
			if _, err := call(c, "B"); err != nil {
				return nil, err
			}
			took := ""
			for _, f := range []*engine.Future{timer, second, a, first} {
				took += fmt.Sprint(f.Ready(), " ")
			}
			vs, err := c.Join(second, first, a)
			if err != nil {
				return nil, err
			}
			return []byte(fmt.Sprintf("%q", took+fmt.Sprintf("%s", vs))), nil
		}})
		f.turn(start("0"))
		f.turn(suspend("s1"))
		f.turn(completed(6, "0"), event("e", "1"), completed(2, "7"), event("e", "2"), fired(3))
		f.turn(resume("r1"))
		if end := f.last.End(); end == nil || string(end.Payload) != `"true true true true [2 1 7]"` {
			t.Errorf("%s: ended with %v, stuck %v", name, end, f.last.Stuck)
		}
		f.replaysCleanly()
	}
}

// Waiting does not ask: Select uses the order of the history, also for events that were
// recorded together.
func TestRule6SelectDoesNotDeliverKnownArrivalsEarly(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		deadline := c.Timer(time.Second)
		if _, err := call(c, "A"); err != nil {
			return nil, err
		}
		i, err := c.Select(false, c.ExternalEvent("e"), deadline)
		return []byte(fmt.Sprint(i)), err
	})
	f.turn(start("0"))
	f.turn(suspend("s1"))
	f.turn(completed(3, "0"), fired(2), event("e", "1"))
	f.turn(resume("r1"))
	if end := f.last.End(); end == nil || string(end.Payload) != "1" {
		t.Errorf("ended with %v, stuck %v: the deadline came first", end, f.last.Stuck)
	}
	f.replaysCleanly()
}

// Rule 13: an event that was delivered before its visit and taken is not carried over. An
// event that was not taken is, in order of arrival.
func TestRule13AnEventThatWasAskedForIsCarriedOverOnlyIfNotTaken(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		if _, err := c.EventKept("e", nil); err != nil {
			return nil, err
		}
		if _, err := c.Await(c.ExternalEvent("e")); err != nil {
			return nil, err
		}
		if _, err := c.EventKept("e", nil); err != nil { // asked for, but not taken
			return nil, err
		}
		return nil, c.ContinueAsNew("", []byte("1"), nil)
	})
	begin := withEvents(start("0"), "1", "2", "3")
	other := history.Event{Kind: history.ExternalEvent, Name: "other", Payload: []byte("9"), SenderID: "o"}
	begin.With = append(begin.With[:1:1], append([]history.Event{other}, begin.With[1:]...)...)
	f.turn(begin)
	var over []string
	for _, e := range f.last.Next {
		over = append(over, fmt.Sprintf("%s %s %t", e.Name, e.Payload, e.WithPrevious))
	}
	if got, want := fmt.Sprint(over), "[Test 1 false other 9 true e 2 true e 3 true]"; got != want {
		t.Errorf("the next execution starts with %s, want %s", got, want)
	}
	f.replaysCleanly()
}

// A wait that rejects is asked about known events; on replay it is not.
func TestRule7ARejectionOfAKnownEventIsRecordedAtTheCall(t *testing.T) {
	t.Parallel()
	code := func(accepts engine.Acceptor) engine.Func {
		return func(c *engine.Context, _ []byte) ([]byte, error) {
			came, err := c.EventKept("e", accepts)
			if err != nil || !came {
				return []byte("0"), err
			}
			return c.Await(c.ExternalEventIf("e", accepts))
		}
	}
	f := newFixture(t, code(func(data []byte) error {
		if string(data) != "3" {
			return fmt.Errorf("%s is not three", data)
		}
		return nil
	}))
	f.turn(withEvents(start("0"), "1", "2", "3"))
	f.wantHistory("1 Started", "2 Ev(e)", "3 Ev(e)", "4 Ev(e)", "5 ExternalRejected", "6 ExternalRejected", "7 Sub(e)", "8 Completed(3)")
	f.replaceCode(code(nil))
	f.replaysCleanly()
}

// A replay does not run the function of a side effect, so nothing that the function asks
// for is delivered.
func TestRule7ReadyInASideEffectDeliversNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		wait := c.ExternalEvent("e")
		said, err := c.SideEffect("look", func() ([]byte, error) { return []byte(fmt.Sprint(wait.Ready())), nil })
		if err != nil {
			return nil, err
		}
		return []byte(fmt.Sprintf("%q", fmt.Sprintf("%s %t", said, wait.Ready()))), nil
	})
	f.turn(withEvents(start("0"), "1"))
	if end := f.last.End(); end == nil || string(end.Payload) != `"false true"` {
		t.Errorf("ended with %v, stuck %v", end, f.last.Stuck)
	}
	f.replaysCleanly()
}
