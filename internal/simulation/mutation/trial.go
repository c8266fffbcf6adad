package mutation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Trials builds mutated soaks and runs them. It is safe for concurrent use.
type Trials struct {
	// Root of the module.
	Root string
	// Dir is the directory for builds. It must exist.
	Dir string
	// From is the first seed, and Most is how many seeds are run at most to catch a
	// mutation. The simulation limits the steps of each run.
	From uint64
	Most int
}

// Trial is the result for one mutation.
type Trial struct {
	Mutation *Mutation
	// Caught is set if an invariant was broken, its Test failed, or the soak crashed and Panics
	// says why that counts.
	Caught bool
	// Seeds is the number of seeds run, including the one that failed; all of them if none
	// failed.
	Seeds int
	// Corpus is the line of the corpus that caught it, if no seed did.
	Corpus int
	// Rule is the invariant that was broken or the test that failed, and Text says how.
	Rule, Text string
	// Build and Run are how long they took.
	Build, Run time.Duration
}

// Try tries one mutation. It returns an error if the trial could not be run.
func (t *Trials) Try(ctx context.Context, m *Mutation) (Trial, error) {
	r := Trial{Mutation: m}
	if m.Test != "" {
		return r, r.readTest(ctx, t, m.Test)
	}
	startedAt := time.Now()
	soak, err := t.build(ctx, m)
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(filepath.Dir(soak))
	r.Build = time.Since(startedAt)
	startedAt = time.Now()
	out, err := t.soak(ctx, soak, t.Most, m.Bias)
	r.Run = time.Since(startedAt)
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	if err := r.read(t, out, err); err != nil {
		return r, fmt.Errorf("mutation %q: %w", m.Name, err)
	}
	if !r.Caught {
		out, err := t.corpus(ctx, soak)
		if err := r.readCorpus(out, err); err != nil {
			return r, fmt.Errorf("mutation %q: %w", m.Name, err)
		}
	}
	if !r.Caught && m.Otherwise != "" {
		return r, r.readTest(ctx, t, m.Otherwise)
	}
	return r, nil
}

// ofTest matches a line that a failed test has written.
var ofTest = regexp.MustCompile(`(?m)^\s+\w+_test\.go:\d+: (.*)$`)

// readTest runs the test, which must fail with the mutation and pass without it.
func (r *Trial) readTest(ctx context.Context, t *Trials, test string) error {
	m := r.Mutation
	defer func(startedAt time.Time) { r.Run = time.Since(startedAt) }(time.Now())
	dir, err := os.MkdirTemp(t.Dir, "mutant")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, err := t.overlay(dir, m)
	if err != nil {
		return err
	}
	_, name, _ := strings.Cut(test, " ")
	mutated, failed := t.test(ctx, test, "-overlay", overlay)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if failed == nil {
		if !bytes.Contains(mutated, []byte("--- PASS: "+name)) {
			return fmt.Errorf("mutation %q: %s has not run\n%s", m.Name, test, mutated)
		}
		return nil
	}
	if !bytes.Contains(mutated, []byte("--- FAIL: "+name)) {
		return fmt.Errorf("mutation %q: %s ended in another way than by failing: %w\n%s", m.Name, test, failed, mutated)
	}
	if plain, failed := t.test(ctx, test); failed != nil || !bytes.Contains(plain, []byte("--- PASS: "+name)) {
		return fmt.Errorf("mutation %q: %s does not pass without it: %w\n%s", m.Name, test, failed, plain)
	}
	r.Caught, r.Rule = true, name
	if said := ofTest.FindSubmatch(mutated); said != nil {
		r.Text = string(said[1])
	}
	return nil
}

// test runs a test, given as "DIRECTORY NAME", with flags of the go command.
func (t *Trials) test(ctx context.Context, test string, flags ...string) (out []byte, err error) {
	dir, name, _ := strings.Cut(test, " ")
	args := append(append([]string{"test", "-timeout=20m", "-vet=off", "-count=1", "-v"}, flags...), "-run", "^"+name+"$", "./"+dir)
	run := exec.CommandContext(ctx, "go", args...)
	run.Dir = t.Root
	return run.CombinedOutput()
}

// Unmutated runs the unchanged sources with the seeds and biases of the trials that were
// caught, and with the corpus if it caught one. It returns an error if an invariant breaks:
// a mutation is not caught by a run that fails without it.
func (t *Trials) Unmutated(ctx context.Context, made []Trial) error {
	seeds, corpus := map[string]int{}, false // seeds by bias
	for i := range made {
		switch r := &made[i]; {
		case !r.Caught || strings.HasPrefix(r.Rule, "Test"):
		case r.Corpus > 0:
			corpus = true
		default:
			seeds[r.Mutation.Bias] = max(seeds[r.Mutation.Bias], r.Seeds)
		}
	}
	if len(seeds) == 0 && !corpus {
		return nil
	}
	soak, err := t.build(ctx, &Mutation{Name: "unmutated"})
	if err != nil {
		return err
	}
	defer os.RemoveAll(filepath.Dir(soak))
	for _, bias := range slices.Sorted(maps.Keys(seeds)) {
		if out, err := t.soak(ctx, soak, seeds[bias], bias); err != nil {
			return fmt.Errorf("without a mutation, %d seeds from %d with bias %q: %w\n%s", seeds[bias], t.From, bias, err, out)
		}
	}
	if !corpus {
		return nil
	}
	if out, err := t.corpus(ctx, soak); err != nil {
		return fmt.Errorf("without a mutation, the corpus: %w\n%s", err, out)
	}
	return nil
}

// build builds the soak with a mutation, in a separate directory.
func (t *Trials) build(ctx context.Context, m *Mutation) (soak string, err error) {
	dir, err := os.MkdirTemp(t.Dir, "mutant")
	if err != nil {
		return "", err
	}
	overlay, err := t.overlay(dir, m)
	if err != nil {
		return "", err
	}
	soak = filepath.Join(dir, "soak")
	build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-ldflags=-s -w", "-o", soak, "./internal/simulation/cmd/soak")
	build.Dir = t.Root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("mutation %q does not build: %w\n%s", m.Name, err, out)
	}
	return soak, nil
}

// overlay writes the mutated file, and the overlay file that makes the go command use it.
func (t *Trials) overlay(dir string, m *Mutation) (file string, err error) {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	if m.File != "" {
		source, err := m.Apply(t.Root)
		if err != nil {
			return "", err
		}
		mutated := filepath.Join(dir, "mutated.go")
		if err := os.WriteFile(mutated, source, 0o600); err != nil {
			return "", err
		}
		overlay.Replace[filepath.Join(t.Root, filepath.FromSlash(m.File))] = mutated
	}
	doc, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	file = filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, doc, 0o600)
}

// soak runs n seeds one after the other, with a bias or "", up to the first that fails.
func (t *Trials) soak(ctx context.Context, soak string, n int, bias string) (out []byte, err error) {
	return exec.CommandContext(ctx, soak, "-from", strconv.FormatUint(t.From, 10), "-n", strconv.Itoa(n), "-bias", bias, "-parallel", "1", "-shrink", "0").CombinedOutput()
}

// corpus runs the corpus up to the first failure.
func (t *Trials) corpus(ctx context.Context, soak string) (out []byte, err error) {
	return exec.CommandContext(ctx, soak, "-corpus", filepath.Join(t.Root, "internal", "simulation", "testdata", "corpus.txt")).CombinedOutput()
}

var ofCorpus = regexp.MustCompile(`(?m)^corpus line (\d+) \(.*\): ([^:]+): (.*)$`)

// readCorpus parses the output of a corpus run and its error.
func (r *Trial) readCorpus(out []byte, ended error) error {
	if ended == nil {
		return nil
	}
	found := ofCorpus.FindSubmatch(out)
	if found == nil {
		return fmt.Errorf("the corpus ended in another way than by a broken invariant: %w\n%s", ended, out)
	}
	line, err := strconv.Atoi(string(found[1]))
	r.Caught, r.Corpus, r.Rule, r.Text = true, line, string(found[2]), string(found[3])
	return err
}

var broken = regexp.MustCompile(`(?m)^seed (\d+): ([^:]+): (.*)$`)

// read parses the output of a soak and its error.
func (r *Trial) read(t *Trials, out []byte, ended error) error {
	var exit *exec.ExitError
	switch {
	case ended == nil:
		r.Seeds = t.Most
		return nil
	case !errors.As(ended, &exit):
		return ended
	}
	if found := broken.FindSubmatch(out); exit.ExitCode() == 1 && found != nil {
		seed, err := strconv.ParseUint(string(found[1]), 10, 64)
		if err != nil {
			return err
		}
		r.Caught, r.Seeds, r.Rule, r.Text = true, int(seed-t.From)+1, string(found[2]), string(found[3])
		return nil
	}
	if bytes.Contains(out, []byte("panic: ")) && r.Mutation.Panics != "" {
		r.Caught, r.Rule, r.Text = true, "panic", r.Mutation.Panics
		return nil
	}
	return fmt.Errorf("the soak ended in another way than by a broken invariant: %w\n%s", ended, out)
}
