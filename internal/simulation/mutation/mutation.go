package mutation

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// Mutation is a bug that could be in the sources.
type Mutation struct {
	// Name in a few words.
	Name string
	// Bug is what is wrong with it, in a sentence.
	Bug string
	// File that has it, from the root of the module, and the edits that make
	// it.
	File  string
	Edits []Edit
	// Rare mutations take more seeds than CI has time for, or were not caught
	// yet: only a run of all mutations has them.
	Rare bool
	// Bias that the runs have which are to catch it, one of simulation.Biases; ""
	// for runs as they are drawn, of which few have any one bias.
	Bias string
	// Test is the test that has to fail, as "DIRECTORY NAME", of a bug which no run of the
	// simulation has: in what it does not run, as the client, or behind what its programs do
	// not do. Empty for one that its runs are to catch.
	Test string
	// Otherwise is the test that has to fail, as in Test, if neither a seed nor the corpus
	// catches the mutation. Such a mutation is Rare.
	Otherwise string
	// Panics says why a crash of the soak itself counts as being caught; empty
	// where it does not.
	Panics string
}

// Edit replaces the anchor, which occurs exactly once in the file.
type Edit struct{ Anchor, Replacement string }

// Apply returns the mutated source of the file under root.
func (m *Mutation) Apply(root string) ([]byte, error) {
	source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.File)))
	if err != nil {
		return nil, fmt.Errorf("mutation %q: %w", m.Name, err)
	}
	text := string(source)
	for _, e := range m.Edits {
		switch n := strings.Count(text, e.Anchor); {
		case n != 1:
			return nil, fmt.Errorf("mutation %q: its anchor stands %d times in %s, and has to once; the code has changed, so choose the place of the same bug anew:\n%s",
				m.Name, n, m.File, e.Anchor)
		case e.Replacement == e.Anchor:
			return nil, fmt.Errorf("mutation %q replaces its anchor in %s by itself", m.Name, m.File)
		}
		text = strings.Replace(text, e.Anchor, e.Replacement, 1)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), m.File, text, parser.SkipObjectResolution); err != nil {
		return nil, fmt.Errorf("mutation %q: what it makes of %s is not Go: %w", m.Name, m.File, err)
	}
	return []byte(text), nil
}

// Root returns the directory of the module that dir is in.
func Root(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("no go.mod in or above %s: run it in the sources of Turnstile", dir)
		}
	}
}
