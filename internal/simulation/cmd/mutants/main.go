// Command mutants shows that the simulation finds bugs. For each mutation it builds the
// simulation with it, runs it until an invariant breaks, and prints the number of seeds and
// the failing one; if no seed finds the mutation, it makes the runs of the corpus. For a
// mutation of code that the simulation does not run, it runs the test that the mutation names.
// It exits with code 1 if a mutation is not caught.
//
//	go run ./internal/simulation/cmd/mutants                    # all
//	go run ./internal/simulation/cmd/mutants -only redelivery   # those whose names contain it
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/mutation"
)

func main() {
	only := flag.String("only", "", "only mutations whose names or files contain this")
	from := flag.Uint64("from", 1, "first seed")
	most := flag.Int("most", 20_000, "seeds within which a mutation has to be caught")
	bias := flag.String("bias", "", "bias that all runs have, in place of the one that each mutation names")
	rare := flag.Bool("rare", false, "only those that CI has no time for")
	part := flag.String("part", "1/1", "K/N: every Nth mutation from the Kth on")
	parallel := flag.Int("parallel", 2, "how many mutations are tried side by side")
	verbose := flag.Bool("v", false, "say how each was caught")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *only, *bias, *part, *rare, *from, *most, *parallel, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only, bias, part string, rare bool, from uint64, most, parallel int, verbose bool) error {
	root, err := mutation.Root(".")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	trials := &mutation.Trials{Root: root, Dir: dir, From: from, Most: most}
	chosen := mutation.Named(mutation.All(), only)
	if rare {
		chosen = slices.DeleteFunc(chosen, func(m *mutation.Mutation) bool { return !m.Rare })
	}
	var k, n int
	if _, err := fmt.Sscanf(part, "%d/%d", &k, &n); err != nil || k < 1 || k > n {
		return fmt.Errorf("-part %q: want K/N with K from 1 to N", part)
	}
	i := 0
	chosen = slices.DeleteFunc(chosen, func(*mutation.Mutation) bool { i++; return i%n != k%n })
	if bias != "" {
		for _, m := range chosen {
			m.Bias = bias
		}
	}
	next := make(chan *mutation.Mutation)
	var mu sync.Mutex
	caught, failed := 0, 0
	var tried []mutation.Trial
	fmt.Printf("| %-55s | seeds | invariant | built in | ran for |\n| --- | --- | --- | --- | --- |\n", "mutation")
	var all sync.WaitGroup
	for range parallel {
		all.Go(func() {
			for m := range next {
				r, err := trials.Try(ctx, m)
				mu.Lock()
				tried = append(tried, r)
				switch {
				case err != nil:
					failed++
					fmt.Fprintln(os.Stderr, err)
				case r.Caught:
					caught++
					print(&r, r.Rule)
				default:
					print(&r, "**not caught**")
				}
				if verbose && r.Caught {
					fmt.Println("    " + r.Text)
				}
				mu.Unlock()
			}
		})
	}
	for _, m := range chosen {
		next <- m
	}
	close(next)
	all.Wait()
	if err := trials.Unmutated(ctx, tried); err != nil {
		return err
	}
	if err := printCodes(root, tried); err != nil {
		return err
	}
	fmt.Printf("\n%d of %d mutations caught; without them, the same seeds and biases break no invariant\n", caught, len(chosen))
	if caught < len(chosen) {
		return fmt.Errorf("%d mutations were not caught, %d could not be tried", len(chosen)-caught-failed, failed)
	}
	return nil
}

// printCodes prints which code of the checker was first to catch how many of the tried mutations, and
// the codes that were first for none. Such a code may still be what a seed of the corpus needs.
func printCodes(root string, tried []mutation.Trial) error {
	// A code is the first argument of Violate, or, in a helper's arguments, an id of a scenario or a rule.
	violated := regexp.MustCompile(`"([A-Z]-\d\d|rule \d+)"|Violate\("([^"]+)"`)
	first := map[string]int{}
	for _, dir := range []string{"check", "program", "scenario", "world"} {
		files, err := filepath.Glob(filepath.Join(root, "internal", "simulation", dir, "*.go"))
		if err != nil {
			return err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			for _, m := range violated.FindAllSubmatch(text, -1) {
				first[string(m[1])+string(m[2])] = 0
			}
		}
	}
	for _, r := range tried {
		if _, known := first[r.Rule]; known && r.Caught {
			first[r.Rule]++
		}
	}
	codes := slices.Sorted(maps.Keys(first))
	slices.SortStableFunc(codes, func(a, b string) int { return first[b] - first[a] })
	fmt.Printf("\n%d codes of the checker, with the number of mutations that each caught first:", len(codes))
	for _, code := range codes {
		fmt.Printf(" %s: %d;", code, first[code])
	}
	fmt.Println()
	return nil
}

func print(r *mutation.Trial, rule string) {
	if r.Corpus > 0 {
		rule += fmt.Sprintf(" (line %d of the corpus, no seed)", r.Corpus)
	}
	fmt.Printf("| %-55s | %5d | %s | %s | %s |\n", r.Mutation.Name, r.Seeds, rule, r.Build.Round(100*time.Millisecond), r.Run.Round(100*time.Millisecond))
}
