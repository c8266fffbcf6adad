package search

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/scenario"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

var update = flag.Bool("update", false, "write the golden story anew")

// losing loses the messages of a kind.
func losing(lost func(wire.Item) bool) world.Sabotage {
	return world.Sabotage{Loses: func(_ string, m *queue.Outgoing) bool {
		i, err := wire.Parse([]byte(m.Body))
		return err == nil && lost(i)
	}}
}

var sabotages = []struct {
	name     string
	sabotage world.Sabotage
	// rule is the rule that it breaks, within this many seeds.
	rule  string
	seeds uint64
	// faults and lines are the limits for the shrunk story.
	faults, lines int
}{
	{"a refused append is told to be in", world.Sabotage{Commit: func(_ *store.Commit, err error) error {
		if errors.Is(err, store.ErrConflict) {
			return nil
		}
		return err
	}}, "own append", 100, 3, 75},
	{"an activity is never dispatched", losing(func(i wire.Item) bool { return i.Kind == wire.ActivityExecute }), "I-03", 50, 0, 25},
	{"a child is never started", losing(func(i wire.Item) bool { return i.Kind == wire.StartOrchestration && i.Parent != nil }), "I-03", 50, 0, 25},
	{"a second attempt is lost", losing(func(i wire.Item) bool { return i.Kind == wire.ActivityExecute && i.Attempt > 1 }), "I-07", 50, 1, 30},
	// A message that a process forwards is different: the process still has to account for
	// what it received.
	{"a timer is lost", losing(func(i wire.Item) bool { return i.Kind == wire.TimerFired && i.Hops == 0 }), "I-03", 50, 0, 25},
	{"an event that a process forwards is lost", losing(func(i wire.Item) bool { return i.Kind == wire.ExternalRaised && strings.HasPrefix(i.ID, "ev-") }), "I-07", 50, 0, 50},
}

// A fault of the world is detected, reported in few lines, and repeated by the text of the
// remaining choices.
func TestABrokenWorldIsFoundOutAndReportedInFewLines(t *testing.T) {
	t.Parallel()
	for _, c := range sabotages {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			setup := func(w *world.World) { w.Sabotage = c.sabotage }
			s := shrunkSabotage(t, c.rule, c.seeds, setup)
			faults := 0
			for _, n := range s.Faults {
				faults += n
			}
			_, happened, _ := strings.Cut(s.Story, "WHAT HAPPENED")
			happened, _, _ = strings.Cut(happened, "\n\n")
			lines := strings.Count(happened, "\n")
			if s.Violations[0].Rule != c.rule || faults > c.faults || lines > c.lines {
				t.Errorf("broke %s with %d faults in %d lines, want %s with %d in %d at most:\n%s", s.Violations[0].Rule, faults, lines, c.rule, c.faults, c.lines, s.Story)
			}
			made, err := choice.Parse(s.Choices)
			if err != nil {
				t.Fatal(err)
			}
			again := simulation.Make(choice.Choices{Source: choice.NewReplay(made), Record: choice.NewRecord()}, true, setup)
			if again.Story != s.Story || again.Choices != s.Choices {
				t.Errorf("the choices %s repeat another run:\n%s", s.Choices, again.Story)
			}
			t.Logf("seed %d, %d runs: %d faults, %d lines, %s", s.Seed, s.Runs, faults, lines, s.Choices)
		})
	}
}

// shrunkSabotage returns the first seed of random programs that breaks a rule, shrunk: the
// sample application cannot be made smaller.
func shrunkSabotage(t *testing.T, rule string, seeds uint64, setup func(*world.World)) Shrunk {
	t.Helper()
	for seed := uint64(1); seed <= seeds; seed++ {
		var w *world.World
		r := simulation.Make(choice.Seeded(seed), false, setup, func(made *world.World) { w = made })
		if _, random := w.Scenario.(*scenario.Random); !random || !r.Failed() || r.Violations[0].Rule != rule {
			continue
		}
		s, _ := shrink(choice.Seeded(seed), MostShrinkRuns, setup)
		s.Seed = seed
		return s
	}
	t.Fatalf("none of %d seeds found it", seeds)
	return Shrunk{}
}

// The story of choices is the same on every machine. The choices are kept with their story,
// because they keep their meaning when seeds do not.
func TestAStoryIsTheSameOnEveryMachine(t *testing.T) {
	t.Parallel()
	const golden = "../testdata/story.txt"
	setup := func(w *world.World) { w.Sabotage = sabotages[0].sabotage }
	if *update {
		s := shrunkSabotage(t, sabotages[0].rule, sabotages[0].seeds, setup)
		if err := os.WriteFile(golden, []byte("choices "+s.Choices+"\n\n"+s.Story), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	first, want, _ := strings.Cut(string(b), "\n\n")
	made, err := choice.Parse(strings.TrimPrefix(first, "choices "))
	if err != nil {
		t.Fatal(err)
	}
	r := simulation.Make(choice.Choices{Source: choice.NewReplay(made), Record: choice.NewRecord()}, true, setup)
	if r.Story != want {
		t.Errorf("the story differs from %s; if it is meant to, run go test ./internal/simulation/search -run TestAStory -update\n%s", golden, r.Story)
	}
}

// Shrinking stops at its limit of runs, and always has a failure of the same rule.
func TestShrinkingKeepsToItsRuns(t *testing.T) {
	t.Parallel()
	c := sabotages[3]
	setup := func(w *world.World) { w.Sabotage = c.sabotage }
	seed := shrunkSabotage(t, c.rule, c.seeds, setup).Seed
	last := 1 << 30
	for _, runs := range []int{0, 1, 10, 100, 100} {
		s, ok := shrink(choice.Seeded(seed), runs, setup)
		if !ok || s.Runs > runs || s.Violations[0].Rule != c.rule {
			t.Errorf("%d runs: %t after %d: %s", runs, ok, s.Runs, s.Text())
		}
		if len(s.Choices) > last {
			t.Errorf("%d runs: more is left than after fewer, or as many", runs)
		}
		last = len(s.Choices)
	}
}
