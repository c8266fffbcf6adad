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
	// Bug describes the bug in a sentence.
	Bug string
	// File is the file with the bug, relative to the root of the module, and Edits create
	// the bug.
	File  string
	Edits []Edit
	// Rare mutations need more seeds than CI has time for, or have never been caught. Only a
	// run of all mutations includes them.
	Rare bool
	// Bias of the runs that must catch it, one of simulation.Biases; "" for unbiased runs,
	// few of which have a given bias by chance.
	Bias string
	// Test is the test that must fail, as "DIRECTORY NAME", if no run of the simulation can
	// reach the bug: it is in code that the simulation does not run, such as the client, or
	// needs something that its programs do not do. Empty if the simulation must catch it.
	Test string
	// Otherwise is the test that must fail, as in Test, if neither a seed nor the corpus
	// catches the mutation. Such a mutation is Rare.
	Otherwise string
	// Panics says why a crash of the soak itself counts as catching it; empty if it does
	// not.
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
