package simulation_test

import (
	"flag"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile/internal/simulation"
	"github.com/turnstile-go/turnstile/internal/simulation/search"
)

var (
	seed   = flag.Uint64("seed", 0, "run this seed alone, with its story")
	text   = flag.String("choices", "", "run these choices alone, with their story: what a shrunk failure prints")
	budget = flag.Duration("budget", 20*time.Second, "how long TestRandomSchedules and TestEachBiasAlone begin further schedules")
	first  = flag.Uint64("first", 1_000_000, "their first seed")
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(800) // A world is small, and is discarded as a whole.
	goleak.VerifyTestMain(m)
}

// I-01 to I-08, over random programs, faults and schedules.
func TestRandomSchedules(t *testing.T) {
	t.Parallel()
	if *seed != 0 {
		r := simulation.Run(*seed, true)
		t.Log(r.Story)
		if r.Failed() {
			t.Error(r.Text())
		}
		return
	}
	if *text != "" {
		r, err := simulation.RunChoices(*text)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(r.Story)
		if r.Failed() {
			t.Error(r.Text())
		}
		return
	}
	startedAt, ran := time.Now(), uint64(0)
	for ; (ran < leastSchedules || time.Since(startedAt) < *budget) && !t.Failed(); ran++ {
		r := simulation.Run(*first+ran, false)
		report(t, &r)
	}
	t.Logf("%d schedules, %.0f a second", ran, float64(ran)/time.Since(startedAt).Seconds())
}

// leastSchedules run on a machine of any speed. How many more run depends on the time, and
// each of them must succeed.
const leastSchedules = 50

// Each bias alone, because ordinary runs have too few of its schedules.
func TestEachBiasAlone(t *testing.T) {
	t.Parallel()
	biases, startedAt, ran := simulation.Biases(), time.Now(), 0
	for ; ran < 2*len(biases) || time.Since(startedAt) < *budget; ran++ {
		bias := biases[ran%len(biases)]
		r, err := simulation.RunBiased(*first+uint64(ran/len(biases)), bias, false)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Failed() {
			continue
		}
		s, _, err := search.ShrinkBiased(r.Seed, bias, search.MostShrinkRuns)
		if err != nil {
			t.Fatal(err)
		}
		t.Fatalf("bias %s: %s\nshrunk in %d runs to:\n\n%s\nrepeat it with: go run ./internal/simulation/cmd/soak -bias %q -seed %d", bias, r.Text(), s.Runs, s.Story, bias, r.Seed)
	}
	t.Logf("%d schedules with each of %d biases", ran/len(biases), len(biases))
}

// The choices of a run with a bias repeat it, because they include the bias.
func TestABiasIsOneOfTheChoices(t *testing.T) {
	t.Parallel()
	for _, bias := range simulation.Biases() {
		for seed := range uint64(2) {
			r, err := simulation.RunBiased(seed, bias, true)
			if err != nil {
				t.Fatal(err)
			}
			again, err := simulation.RunChoices(r.Choices)
			if err != nil || again.Story != r.Story {
				t.Fatalf("bias %s, seed %d: %v, another story:\n%s", bias, seed, err, difference(r.Story, again.Story))
			}
		}
	}
	if _, err := simulation.RunBiased(1, "no such", false); err == nil || !strings.Contains(err.Error(), "late marks") {
		t.Errorf("an unknown bias: %v, want an error that names those there are", err)
	}
}

// report fails the test for a seed that broke an invariant, with the story of the smallest
// run that also breaks it.
func report(t *testing.T, r *simulation.Result) {
	t.Helper()
	if !r.Failed() {
		return
	}
	s, _ := search.Shrink(r.Seed, search.MostShrinkRuns)
	t.Errorf("%s\nshrunk in %d runs to:\n\n%s\nrepeat it with: go test ./internal/simulation -run TestRandomSchedules -seed %d\nor shrunk with: -choices %s",
		r.Text(), s.Runs, s.Story, r.Seed, s.Choices)
}

// Seeds that once failed keep succeeding. The comment after each describes what it found.
func TestSeedsThatOnceFailed(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/corpus.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := search.ReadCorpus(f)
	if err != nil || len(all) == 0 {
		t.Fatalf("%d runs, %v", len(all), err)
	}
	for _, k := range all {
		r, err := k.Run()
		switch {
		case err != nil:
			t.Errorf("line %d: %v", k.Line, err)
		case k.Choices != "" && r.Failed():
			t.Errorf("line %d: %s\n%s\n%s", k.Line, k.Choices, r.Text(), r.Story)
		default:
			report(t, &r)
		}
	}
}

// One seed is one run, to the byte, and its story changes nothing.
func TestASeedRepeatsExactly(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		a, b, quiet := simulation.Run(seed, true), simulation.Run(seed, true), simulation.Run(seed, false)
		if a.Story != b.Story {
			t.Fatalf("seed %d: two runs differ:\n%s", seed, difference(a.Story, b.Story))
		}
		if a.Steps != quiet.Steps || a.Commits != quiet.Commits {
			t.Fatalf("seed %d: %d steps and %d commits with a story, %d and %d without", seed, a.Steps, a.Commits, quiet.Steps, quiet.Commits)
		}
	}
}

func difference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return as[i] + "\n" + bs[i]
		}
	}
	return "one is longer"
}
