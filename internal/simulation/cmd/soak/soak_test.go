package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/simulation"
	"github.com/turnstile-go/turnstile/internal/simulation/search"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
)

// broken is a simulation in which every third seed fails.
func broken(out *strings.Builder) *soak {
	fails := func(seed uint64, _ bool) simulation.Result {
		r := simulation.Result{Seed: seed, Steps: 1, Story: "THE STORY", Choices: "TEXT"}
		if seed%3 == 0 {
			r.Violations = []world.Violation{{Rule: "I-07", Text: "a message is gone"}}
		}
		return r
	}
	return &soak{out: out, from: 1, n: 10, parallel: 1, runs: 100, try: fails, shrink: func(seed uint64, runs int) (search.Shrunk, bool) {
		return search.Shrunk{Result: fails(seed, true), Runs: runs}, true
	}}
}

func TestTheFirstFailureEndsTheSoakWithItsStoryAndCorpusLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s := broken(&out)
	if s.run() {
		t.Error("all is said to be well")
	}
	if s.ran != 3 || s.failures != 1 {
		t.Errorf("%d ran, %d failed", s.ran, s.failures)
	}
	for _, want := range []string{"seed 3: I-07: a message is gone", "THE STORY", "-seed 3\n", "-choices TEXT\n", "\n3   # I-07: ", "\nchoices TEXT   # "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in:\n%s", want, out.String())
		}
	}
}

func TestASoakThatKeepsGoingRunsTheWholeRange(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s := broken(&out)
	s.keepGoing, s.parallel = true, 3
	if s.run() || s.ran != 10 || s.failures != 3 {
		t.Errorf("%d ran, %d failed:\n%s", s.ran, s.failures, out.String())
	}
}

func TestASoakOfGoodSeedsIsGood(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s := &soak{out: &out, from: 1, n: 20, parallel: 2, runs: 100, try: simulation.Run, shrink: search.Shrink}
	if !s.run() || !strings.Contains(out.String(), "20 schedules from seed 1") {
		t.Error(out.String())
	}
}

func TestACorpusIsRunUpToTheFirstThatFails(t *testing.T) {
	t.Parallel()
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "corpus.txt")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var out strings.Builder
	if good, err := runCorpus(&out, file("# a comment\n\n7   # it was wrong\n")); !good || err != nil || !strings.Contains(out.String(), "1 runs of the corpus, 0 failures") {
		t.Errorf("good %t, %v: %s", good, err, out.String())
	}
	for text, want := range map[string]string{
		"7\nseed 8\n":   "line 2",
		"choices #\n":   "line 1",
		"choices ???\n": "line 1",
	} {
		if good, err := runCorpus(&out, file(text)); good || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: good %t, %v; want an error of %s", text, good, err, want)
		}
	}
	if _, err := runCorpus(&out, file("7")+".gone"); !os.IsNotExist(err) {
		t.Errorf("got %v", err)
	}
}
