package main

import (
	"fmt"
	"io"
	"os"

	"github.com/turnstile-go/turnstile/internal/simulation/search"
)

// runCorpus makes the runs of a corpus in order until one fails, and reports whether none
// did.
func runCorpus(out io.Writer, path string) (good bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	all, err := search.ReadCorpus(f)
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	for _, k := range all {
		r, err := k.Run()
		if err != nil {
			return false, fmt.Errorf("%s, line %d: %w", path, k.Line, err)
		}
		if r.Failed() {
			v := r.Violations[0]
			fmt.Fprintf(out, "corpus line %d (%s): %s: %s\n", k.Line, k.Why, v.Rule, v.Text)
			return false, nil
		}
	}
	fmt.Fprintf(out, "%d runs of the corpus, 0 failures\n", len(all))
	return true, nil
}
