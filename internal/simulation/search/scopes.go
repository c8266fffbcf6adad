package search

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// inCI are the scopes that are searched in CI.
var inCI = []string{"race+crash", "race+answer", "race+duplicate", "timeout+crash", "cancel+crash", "cancel+answer", "cancel+duplicate", "cancel+cached",
	"child+crash", "continue+crash", "continue+answer", "continue+cached", "aside+crash", "mend+answer"}

// Scopes returns the scopes: each program under each allowance that says
// something new of it.
func Scopes() []*Scope {
	var all []*Scope
	for _, program := range scopePrograms() {
		for _, v := range []struct {
			name    string
			variant func(*Scope)
			leftOut []string // programs
		}{
			{"crash", func(s *Scope) { s.Allowance.Crashes = 1 }, nil},
			{"answer", func(s *Scope) { s.Allowance.Answers = 1 }, nil},
			{"duplicate", func(s *Scope) { s.Allowance.Duplicates = 1 }, nil},
			{"cached", func(s *Scope) { s.Allowance.Crashes, s.Cached = 1, true }, nil},
			// Two faults: programs that have few states with one.
			{"crashes", func(s *Scope) { s.Allowance.Crashes = 2 }, []string{"timeout", "child", "family", "mend"}},
			{"mixed", func(s *Scope) { s.Allowance = world.Allowance{Crashes: 1, Duplicates: 1} }, []string{"race", "timeout", "child", "family", "continue", "mend"}},
			// These have no activity.
			{"worker", func(s *Scope) { s.Allowance.Crashes, s.Workers = 1, true }, []string{"timeout", "continue", "aside"}},
			{"scheduled", func(s *Scope) { s.Allowance.Crashes, s.Scheduled = 1, true }, []string{"race", "cancel", "child", "family", "continue", "aside", "mend"}},
		} {
			if slices.Contains(v.leftOut, program.Name) {
				continue
			}
			s := program
			s.Name += "+" + v.name
			v.variant(&s)
			s.Large = !slices.Contains(inCI, s.Name)
			all = append(all, &s)
		}
	}
	return all
}

// scopePrograms are the scopes without an allowance.
func scopePrograms() []Scope {
	start := world.Request{Item: wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "main", Input: []byte(`0`), ID: "start"}}
	raise := func(n string) world.Request {
		return world.Request{Item: wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "e", Data: []byte(`"` + n + `"`), ID: "event-" + n}}
	}
	aside := func(r world.Request) world.Request { r.Aside = true; return r }
	cancel := world.Request{Item: wire.Item{Kind: wire.CancelInstance, Instance: "a", ID: "cancel", Reason: "enough"}}
	return []Scope{
		{
			Name: "race", About: "two activities race; their completions come in either order, and both are recorded",
			Limits: world.Limits{Messages: []world.Request{start}}, code: program1(raceCode),
			outcomes: map[string][]string{"a": {"x before y", "y before x"}},
		},
		{
			Name: "timeout", About: "a timer and an external event in a select; the loser is cancelled",
			Limits: world.Limits{Messages: []world.Request{start, raise("1")}}, code: program1(timeoutCode),
			outcomes: map[string][]string{"a": {"time is up", "1"}},
		},
		{
			Name: "cancel", About: "a cancel meets the completion of the activity that is waited for",
			Limits: world.Limits{Messages: []world.Request{start, cancel}}, code: program1(workCode),
			outcomes: map[string][]string{"a": {"x", "cancelled"}},
		},
		{
			Name: "child", About: "a child ends, and its parent is told, while an activity of the parent completes",
			Limits:   world.Limits{Messages: []world.Request{start}},
			code:     map[string]engine.Func{"main": parentCode, "child": text1("grown")},
			outcomes: map[string][]string{"a": {"grown"}, "b": {"grown"}},
		},
		{
			Name: "family", About: "a cancel reaches a parent whose child has an activity open, and goes on to the child",
			Limits:   world.Limits{Messages: []world.Request{start, cancel}},
			code:     map[string]engine.Func{"main": childCode, "child": workCode},
			outcomes: map[string][]string{"a": {"x", "cancelled"}, "b": {"x", "cancelled", ""}},
		},
		{
			Name: "continue", About: "an event comes behind a continue-as-new, or is carried over by it",
			Limits: world.Limits{Messages: []world.Request{start, raise("1"), raise("2")}}, code: program1(continueCode),
			outcomes: map[string][]string{"a": {"12"}},
		},
		{
			Name: "aside", About: "two processes handle events of one instance at once, for one comes over the delay queue",
			Limits: world.Limits{Messages: []world.Request{start, aside(raise("1")), raise("2")}}, code: program1(twoEventsCode),
			outcomes: map[string][]string{"a": {"12", "21"}},
		},
		{
			Name: "mend", About: "code that panics is replaced by code that works, and a wake takes the instance on",
			Limits: world.Limits{Messages: []world.Request{start}}, code: program1(workCode), bad: program1(badCode),
			outcomes: map[string][]string{"a": {"x"}},
		},
	}
}

func program1(main engine.Func) map[string]engine.Func { return map[string]engine.Func{"main": main} }

func work1(ctx *engine.Context, input string) *engine.Future {
	return ctx.Activity(engine.ActivityCall{Name: "work", Input: []byte(`"` + input + `"`)})
}

func text1(s string) engine.Func {
	return func(*engine.Context, []byte) ([]byte, error) { return json.Marshal(s) }
}

func raceCode(ctx *engine.Context, _ []byte) ([]byte, error) {
	x, y := work1(ctx, "x"), work1(ctx, "y")
	first, err := ctx.Select(true, x, y)
	if err != nil {
		return nil, err
	}
	values, err := ctx.Join(x, y)
	if err != nil {
		return nil, err
	}
	return json.Marshal(program.Text(values[first]) + " before " + program.Text(values[1-first]))
}

func timeoutCode(ctx *engine.Context, _ []byte) ([]byte, error) {
	e, timer := ctx.ExternalEvent("e"), ctx.Timer(10*time.Second)
	first, err := ctx.Select(false, e, timer)
	if err != nil {
		return nil, err
	}
	if first == 1 {
		return json.Marshal("time is up")
	}
	return ctx.Await(e)
}

func workCode(ctx *engine.Context, _ []byte) ([]byte, error) {
	return ctx.Await(work1(ctx, "x"))
}

func childCode(ctx *engine.Context, _ []byte) ([]byte, error) {
	return ctx.Await(ctx.Child(engine.ChildCall{Name: "child", Instance: "b", Input: []byte(`0`)}))
}

func parentCode(ctx *engine.Context, _ []byte) ([]byte, error) {
	values, err := ctx.Join(ctx.Child(engine.ChildCall{Name: "child", Instance: "b", Input: []byte(`0`)}), work1(ctx, "x"))
	if err != nil {
		return nil, err
	}
	return values[0], nil
}

// badCode asks for something else and panics, so that nothing of it may stay.
func badCode(ctx *engine.Context, _ []byte) ([]byte, error) {
	work1(ctx, "wrong")
	panic("this build does not work")
}

func twoEventsCode(ctx *engine.Context, _ []byte) ([]byte, error) {
	values, err := ctx.Join(ctx.ExternalEvent("e"), ctx.ExternalEvent("e"))
	if err != nil {
		return nil, err
	}
	return json.Marshal(program.Text(values[0]) + program.Text(values[1]))
}

// continueCode waits for an event in each of two executions, and returns both.
func continueCode(ctx *engine.Context, input []byte) ([]byte, error) {
	e, err := ctx.Await(ctx.ExternalEvent("e"))
	if err != nil {
		return nil, err
	}
	if string(input) == "0" {
		return nil, ctx.ContinueAsNew("", e, nil)
	}
	return json.Marshal(program.Text(input) + program.Text(e))
}
