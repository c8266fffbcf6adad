package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation"
	"github.com/turnstile-go/turnstile/internal/simulation/search"
)

// soak runs a range of seeds.
type soak struct {
	out       io.Writer
	from      uint64
	n         int
	parallel  int
	keepGoing bool
	// runs limits shrinking.
	runs int
	// flags are those that repeat a run, besides its seed.
	flags string

	try    func(seed uint64, tracing bool) simulation.Result
	shrink func(seed uint64, runs int) (search.Shrunk, bool)

	mu             sync.Mutex
	started        int // seeds
	ran            int
	failures       int
	steps, commits int
	faults, counts map[string]int
}

// run runs the range and reports whether all runs succeeded.
func (s *soak) run() bool {
	startedAt, cpu := time.Now(), cpuTime()
	s.faults, s.counts = map[string]int{}, map[string]int{}
	var all sync.WaitGroup
	for range s.parallel {
		all.Go(func() {
			for seed, ok := s.next(); ok; seed, ok = s.next() {
				r := s.try(seed, false)
				s.add(&r)
			}
		})
	}
	all.Wait()
	took := time.Since(startedAt)
	cpu = cpuTime() - cpu
	fmt.Fprintf(s.out, "%d schedules from seed %d in %s, %.0f a second; %d steps, %d commits, %d failures\n",
		s.ran, s.from, took.Round(time.Millisecond), float64(s.ran)/took.Seconds(), s.steps, s.commits, s.failures)
	if cpu > 0 {
		fmt.Fprintf(s.out, "by CPU time %.0f a second and core, %s each\n", float64(s.ran)/cpu.Seconds(), (cpu / time.Duration(max(s.ran, 1))).Round(time.Microsecond))
	}
	s.table("faults", s.faults)
	s.table("told by the host", s.counts)
	return s.failures == 0
}

// next returns the next seed, if there is another one to run.
func (s *soak) next() (uint64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started >= s.n || s.failures > 0 && !s.keepGoing {
		return 0, false
	}
	s.started++
	return s.from + uint64(s.started-1), true
}

func (s *soak) add(r *simulation.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ran++
	s.steps += r.Steps
	s.commits += r.Commits
	for k, v := range r.Faults {
		s.faults[k] += v
	}
	for k, v := range r.Counts {
		s.counts[k] += v
	}
	if r.Failed() {
		s.failures++
		s.report(r)
	}
}

// report prints a failure: the story of a smaller run that fails in the same way, how to
// repeat it, and what to add to the corpus.
func (s *soak) report(r *simulation.Result) {
	fmt.Fprintln(s.out, r.Text())
	if s.runs <= 0 {
		return
	}
	small, ok := s.shrink(r.Seed, s.runs)
	if !ok {
		fmt.Fprintf(s.out, "seed %d did not fail again: what it did depends on more than its seed\n", r.Seed)
		return
	}
	rule := small.Violations[0].Rule
	fmt.Fprintf(s.out, "shrunk in %d runs to:\n\n%s\n", small.Runs, small.Story)
	fmt.Fprintf(s.out, "repeat it:\n  go run ./internal/simulation/cmd/soak%s -seed %d\n  go run ./internal/simulation/cmd/soak -choices %s\n", s.flags, r.Seed, small.Choices)
	fmt.Fprintf(s.out, "for internal/simulation/testdata/corpus.txt:\n%d   # %s: say what was wrong\nchoices %s   # the same, shrunk\n\n", r.Seed, rule, small.Choices)
}

func (s *soak) table(title string, counts map[string]int) {
	fmt.Fprintln(s.out, title+":")
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(s.out, "  %-40s %d\n", k, counts[k])
	}
}
