package search

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// inCI are the scopes of fewer than 6,000 schedules, which CI searches. make prove searches all.
var inCI = []string{"race+crash", "race+answer", "race+duplicate", "timeout+crash", "cancel+crash", "cancel+answer", "cancel+cached",
	"child+crash", "continue+crash", "continue+answer", "continue+cached", "aside+crash", "mend+answer", "again+crash", "suspend+crash"}

// Scopes returns the scopes: each program under each allowance that tests something new.
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
			{"crashes", func(s *Scope) { s.Allowance.Crashes = 2 }, []string{"timeout", "child", "family", "mend", "again", "redrive", "fork", "suspend"}},
			{"mixed", func(s *Scope) { s.Allowance = world.Allowance{Crashes: 1, Duplicates: 1} }, []string{"race", "timeout", "child", "family", "continue", "mend", "again", "redrive", "fork", "suspend"}},
			// These programs have no activity.
			{"worker", func(s *Scope) { s.Allowance.Crashes, s.Workers = 1, true }, []string{"timeout", "continue", "aside", "again"}},
			{"scheduled", func(s *Scope) { s.Allowance.Crashes, s.Scheduled = 1, true }, []string{"race", "cancel", "child", "family", "continue", "aside", "mend", "again", "redrive", "fork", "suspend"}},
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

// scopePrograms returns the scopes without an allowance.
func scopePrograms() []Scope {
	start := world.Request{Item: wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "main", Input: []byte(`0`), ID: "start"}}
	raise := func(n string) world.Request {
		return world.Request{Item: wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "e", Data: []byte(`"` + n + `"`), ID: "event-" + n}}
	}
	aside := func(r world.Request) world.Request { r.Aside = true; return r }
	cancel := world.Request{Item: wire.Item{Kind: wire.CancelInstance, Instance: "a", ID: "cancel", Reason: "enough"}}
	begin := func(id, instance string, policy wire.Conflict, origin *history.Origin) world.Request {
		return world.Request{Item: wire.Item{Kind: wire.StartOrchestration, Instance: instance, Name: "main", Input: []byte(`1`), ID: id, OnConflict: policy, Origin: origin}}
	}
	suspend := world.Request{Item: wire.Item{Kind: wire.SuspendInstance, Instance: "a", ID: "suspend", Reason: "a look"}}
	resume := world.Request{Item: wire.Item{Kind: wire.ResumeInstance, Instance: "a", ID: "resume", Reason: "go on"}}
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
		{
			Name: "again", About: "a start begins an instance again, which may not have ended, and an event comes beside it",
			Limits: world.Limits{Messages: []world.Request{start, raise("1"), begin("again", "a", wire.ConflictRestart, nil), raise("2")}}, code: program1(inputCode),
			outcomes: map[string][]string{"a": {"01", "12", string(store.StatusRunning)}},
		},
		{
			Name: "redrive", About: "an instance whose second activity fails in the first build is redriven, and its first one does not run again",
			Limits: world.Limits{Messages: []world.Request{start, begin(world.RedriveID+"1", "a", wire.ConflictRedrive, nil)}}, code: program1(twoWorksCode), bad: program1(twoWorksCode), fails: "y",
			outcomes: map[string][]string{"a": {"xy", string(store.StatusFailed)}},
		},
		{
			Name: "fork", About: "an instance is forked while its activity may be open",
			Limits: world.Limits{Messages: []world.Request{start, begin(world.ForkID+"1", "b", wire.ConflictRefuse, &history.Origin{Instance: "a"})}},
			code:   program1(workCode), outcomes: map[string][]string{"a": {"x"}, "b": {"x", ""}},
		},
		{
			Name: "suspend", About: "an instance is suspended, and resumed, while an event comes and its activity ends",
			Limits: world.Limits{Messages: []world.Request{start, suspend, raise("1"), resume}}, code: program1(eventThenWorkCode),
			outcomes: map[string][]string{"a": {"1"}},
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

// inputCode waits for an event, and returns its input together with the event.
func inputCode(ctx *engine.Context, input []byte) ([]byte, error) {
	e, err := ctx.Await(ctx.ExternalEvent("e"))
	if err != nil {
		return nil, err
	}
	return json.Marshal(string(input) + program.Text(e))
}

func twoWorksCode(ctx *engine.Context, _ []byte) ([]byte, error) {
	x, err := ctx.Await(work1(ctx, "x"))
	if err != nil {
		return nil, err
	}
	y, err := ctx.Await(work1(ctx, "y"))
	if err != nil {
		return nil, err
	}
	return json.Marshal(program.Text(x) + program.Text(y))
}

func eventThenWorkCode(ctx *engine.Context, _ []byte) ([]byte, error) {
	e, err := ctx.Await(ctx.ExternalEvent("e"))
	if err != nil {
		return nil, err
	}
	return ctx.Await(work1(ctx, program.Text(e)))
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

// badCode schedules another operation and panics, so that nothing of its turn may be recorded.
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
