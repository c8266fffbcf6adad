package search

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/turnstile-go/turnstile/internal/simulation"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
)

// Known is a run that once failed, as a corpus contains it: a line with a seed, or with
// "choices" and their text, and after a "#" the failure.
type Known struct {
	// Line is the line in the corpus, from 1.
	Line int
	// Seed, or Choices if they are not empty.
	Seed    uint64
	Choices string
	// Why is the reason of the failure.
	Why string
}

// ReadCorpus reads a corpus. An error names the line that cannot be read.
func ReadCorpus(from io.Reader) ([]Known, error) {
	var all []Known
	lines := bufio.NewScanner(from)
	for n := 1; lines.Scan(); n++ {
		run, why, _ := strings.Cut(lines.Text(), "#")
		if run = strings.TrimSpace(run); run == "" {
			continue
		}
		k := Known{Line: n, Why: strings.TrimSpace(why)}
		if text, ok := strings.CutPrefix(run, "choices "); ok {
			k.Choices = strings.TrimSpace(text)
		} else {
			seed, err := strconv.ParseUint(run, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("simulation: line %d of the corpus is neither a seed nor \"choices TEXT\": %w", n, err)
			}
			k.Seed = seed
		}
		all = append(all, k)
	}
	return all, lines.Err()
}

// Run makes the run. An error says that its choices cannot be read.
func (k *Known) Run() (world.Result, error) {
	if k.Choices != "" {
		return simulation.RunChoices(k.Choices)
	}
	return simulation.Run(k.Seed, false), nil
}
