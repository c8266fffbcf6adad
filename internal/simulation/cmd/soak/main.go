// Command soak runs many schedules of the simulation. It prints a failure with the story of the smallest
// run that breaks the same invariant, and with lines for the corpus
// (internal/simulation/testdata/corpus.txt). It exits with code 1, at the first failure or, with
// -keep-going, after the last seed.
//
//	go run ./internal/simulation/cmd/soak -n 100000        # seeds 1 to 100000
//	go run ./internal/simulation/cmd/soak -seed 4711       # one seed, with its story
//	go run ./internal/simulation/cmd/soak -bias outages    # runs that all have this bias
//	go run ./internal/simulation/cmd/soak -choices TEXT    # a shrunk failure, with its story
//	go run ./internal/simulation/cmd/soak -corpus FILE     # earlier failures, until one fails
//
// It also makes every run of scopes that are small enough:
//
//	go run ./internal/simulation/cmd/soak -exhaustive                      # all scopes
//	go run ./internal/simulation/cmd/soak -exhaustive -scope NAME          # one scope
//	go run ./internal/simulation/cmd/soak -scope NAME -choices 0.2.1       # one run of it, with its story
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/turnstile-go/turnstile/internal/simulation"
	"github.com/turnstile-go/turnstile/internal/simulation/search"
)

func main() {
	s := soak{out: os.Stdout, try: simulation.Run, shrink: search.Shrink}
	flag.IntVar(&s.n, "n", 10_000, "how many schedules to run")
	flag.Uint64Var(&s.from, "from", 1, "first seed")
	flag.IntVar(&s.parallel, "parallel", runtime.GOMAXPROCS(0), "how many run side by side")
	flag.BoolVar(&s.keepGoing, "keep-going", false, "go on behind a failure, to the end of the range")
	flag.IntVar(&s.runs, "shrink", search.MostShrinkRuns, "how many runs shrinking a failure takes at most; 0: print no story")
	bias := flag.String("bias", "", "let all runs have a bias: one of "+strings.Join(simulation.Biases(), ", ")+", or two as NAME+NAME; by default, some runs have one or two")
	seed := flag.Uint64("seed", 0, "run this seed alone and print its story, as it is and, when it fails, shrunk")
	choices := flag.String("choices", "", "run these choices alone and print their story")
	corpus := flag.String("corpus", "", "make the runs of this corpus, a file like internal/simulation/testdata/corpus.txt")
	exhaustive := flag.Bool("exhaustive", false, "make every run of the scopes; with -scope, of that one")
	biases := flag.Bool("biases", false, "print the names of all biases, a line each, and run nothing")
	scope := flag.String("scope", "", "with -exhaustive, search this scope alone; else run -choices of it")
	flag.Parse()
	if *biases {
		fmt.Println(strings.Join(simulation.Biases(), "\n"))
		return
	}
	if *bias != "" {
		if _, err := simulation.RunBiased(1, *bias, false); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		s.flags = fmt.Sprintf(" -bias %q", *bias)
		s.try = func(seed uint64, tracing bool) simulation.Result {
			r, _ := simulation.RunBiased(seed, *bias, tracing)
			return r
		}
		s.shrink = func(seed uint64, runs int) (search.Shrunk, bool) {
			small, ok, _ := search.ShrinkBiased(seed, *bias, runs)
			return small, ok
		}
	}
	good := false
	switch {
	case *exhaustive:
		scopes, err := scopesNamed(*scope)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		good = searchAll(s.out, scopes, s.parallel)
	case *scope != "":
		scopes, err := scopesNamed(*scope)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		r := scopes[0].Repeat(*choices)
		good = tell(s.out, &r)
	case *corpus != "":
		var err error
		if good, err = runCorpus(s.out, *corpus); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	case *choices != "":
		r, err := simulation.RunChoices(*choices)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		good = tell(s.out, &r)
	case *seed != 0:
		r := s.try(*seed, true)
		if good = tell(s.out, &r); !good {
			s.report(&r)
		}
	default:
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(3200) // A world is small, and is discarded as a whole.
		}
		good = s.run()
	}
	if !good {
		os.Exit(1)
	}
}

// tell prints the story of a run and reports whether it succeeded.
func tell(out io.Writer, r *simulation.Result) bool {
	fmt.Fprintln(out, r.Story)
	if r.Failed() {
		fmt.Fprintln(out, r.Text())
	}
	return !r.Failed()
}
