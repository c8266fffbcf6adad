package search

import (
	"maps"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/stage"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// tinyScope has one activity, one message of a client and at most one fault.
func tinyScope(a world.Allowance) *Scope {
	start := wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "main", Input: []byte(`0`), ID: "start"}
	return &Scope{Name: "tiny", Limits: world.Limits{Allowance: a, Messages: []world.Request{{Item: start}}}, code: program1(workCode), outcomes: map[string][]string{"a": {"x"}}}
}

// Stopping at states that were visited before leaves out no state and no end.
func TestReductionKeepsStatesAndEnds(t *testing.T) {
	t.Parallel()
	cases := []*Scope{tinyScope(world.Allowance{Crashes: 1}), tinyScope(world.Allowance{Answers: 1})}
	if stage.Proving() { // 5,865 schedules
		cases = append(cases, tinyScope(world.Allowance{Duplicates: 1}))
	}
	for _, s := range Scopes() {
		switch s.Allowance = (world.Allowance{}); {
		case s.Large, s.Workers:
		case s.bad != nil:
			t.Logf("%s NOT RUN: where something is stuck, sweeps come between all other steps, and more than 20,000 schedules are too many to make in full", s.Name)
		case strings.HasPrefix(s.Name, "fork+"):
			t.Logf("%s NOT RUN: steps of two instances come between each other, and more than 20,000 schedules are too many to make in full", s.Name)
		default:
			cases = append(cases, s)
		}
	}
	for _, s := range cases {
		search := func(reduced bool) (Exploration, map[world.Fingerprint]bool) {
			ends := map[world.Fingerprint]bool{}
			e := s.explore(20_000, reduced, func(k *world.Walk) { ends[k.Fingerprint()] = true })
			if e.Failure != nil || !e.All {
				t.Errorf("%s, reduced %t: %v", e.String(), reduced, e.Failure)
			}
			return e, ends
		}
		e, ends := search(true)
		full, all := search(false)
		t.Logf("%s %+v: %d states, %d ends; %d schedules reduced, %d in full", s.Name, s.Allowance, e.States, len(ends), e.Schedules, full.Schedules)
		if !maps.Equal(ends, all) || e.States != full.States {
			t.Errorf("%s %+v: %d states and %d ends with reduction, %d and %d without", s.Name, s.Allowance, e.States, len(ends), full.States, len(all))
		}
	}
}

// A faulty world is detected in each of these scopes, and the choices repeat the run
// exactly.
func TestExplorationFindsABrokenWorld(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, scope string
		sabotage    world.Sabotage
	}{
		{"messages are acknowledged ahead of their dispatch", "child+crash", world.Sabotage{Early: true}},
		{"messages are acknowledged ahead of their dispatch", "continue+crash", world.Sabotage{Early: true}},
		{"an activity's message gets lost", "race+crash", world.Sabotage{Loses: func(to string, _ *queue.Outgoing) bool { return to == "activity" }}},
		{"the condition on event_id is skipped: an append that was refused is told to be in", "continue+duplicate",
			world.Sabotage{Commit: func(*store.Commit, error) error { return nil }}},
	} {
		s, err := ScopeNamed(c.scope)
		if err != nil {
			t.Fatal(err)
		}
		s.sabotage = c.sabotage
		e := s.Explore(0)
		if e.Failure == nil {
			t.Errorf("%s: nothing was found in %s", c.name, e.String())
			continue
		}
		t.Logf("%s: found in %s: %s", c.name, e.String(), e.Failure.Text())
		if again := s.Repeat(e.Failure.Choices); again.Story != e.Failure.Story {
			t.Errorf("%s: choices %s do not repeat the run that they are of:\n%s", c.name, e.Failure.Choices, again.Story)
		}
	}
}

func TestChoicesThatAreNoneAreRefused(t *testing.T) {
	t.Parallel()
	s := tinyScope(world.Allowance{})
	for _, choices := range []string{"0.x", "-1", "0.99"} {
		if r := s.Repeat(choices); !r.Failed() || r.Violations[0].Rule != "choices" {
			t.Errorf("%q was taken: %v", choices, r.Violations)
		}
	}
}
