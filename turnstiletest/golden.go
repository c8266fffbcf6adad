package turnstiletest

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/exports"
	"github.com/turnstile-go/turnstile/internal/recording"
	"github.com/turnstile-go/turnstile/store"
)

// Export returns the export of all executions of the instance, in the format that [Replay] and the
// console read. For an instance that has not continued as new it is the output of `turnstile
// history --export`. The export leaves out secret tokens. Payloads are exported as they are stored:
// with [WithCodecs] they are encoded, and Replay needs the same codecs.
func (r *Run[Out]) Export() []byte {
	r.env.t.Helper()
	exports := r.env.exports(r.Instance)
	if len(exports) == 1 {
		return history.EncodeExport(exports[0])
	}
	text, err := recording.Encode(&recording.Recording{Histories: exports})
	if err != nil {
		r.env.t.Fatalf("turnstiletest: Export: %v", err)
	}
	return text
}

// exports returns the stored executions of an instance, oldest first. If there is no record of the
// instance, it returns one execution without events.
func (e *Env) exports(instance string) []history.Export {
	e.t.Helper()
	kept := store.Executions(1, 1, nil)
	if r, err := e.store.Describe(context.Background(), instance); err == nil {
		kept = r.Executions()
	}
	var all []history.Export
	for n := range kept {
		all = append(all, exports.New(instance, n, e.turns(instance, n)))
	}
	return all
}

// AssertGolden fails the test, without ending it, if the history of the instance, over all of its
// executions and with payloads, differs from the file. It ignores the times at which events were
// recorded. The file is an export that [Replay] reads too, so you can keep it to check that a later
// version of the code can continue the instances of the current version. Encoded payloads are
// compared by their decoded values. The environment's codecs decode both sides, so keep the keys of
// such a test fixed.
//
// If the environment variable TURNSTILE_UPDATE is set, or the flag -update if the test defines it,
// AssertGolden writes the file instead.
func (r *Run[Out]) AssertGolden(file string) {
	r.env.t.Helper()
	if updating() {
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err == nil {
			err = os.WriteFile(file, r.Export(), 0o644)
		}
		if err != nil {
			r.env.t.Fatalf("turnstiletest: AssertGolden: %v", err)
		}
		return
	}
	data, err := os.ReadFile(file)
	if err != nil {
		r.env.t.Fatalf("turnstiletest: AssertGolden: %v: run the test with TURNSTILE_UPDATE=1 to write it", err)
	}
	want, err := decodeExports(data)
	if err != nil {
		r.env.t.Fatalf("turnstiletest: AssertGolden: %s: %v", file, err)
	}
	got := r.env.exports(r.Instance)
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(want):
			r.env.t.Errorf("the history of instance %q differs from %s (TURNSTILE_UPDATE=1 rewrites the file): the instance has %d executions, the file %d", r.Instance, file, len(got), len(want))
			return
		case i >= len(got):
			r.env.t.Errorf("the history of instance %q differs from %s (TURNSTILE_UPDATE=1 rewrites the file): the file has %d executions, the instance %d", r.Instance, file, len(want), len(got))
			return
		}
		execution := got[i].ExecutionID
		opened, err := r.env.opts.codecs.OpenEvents(r.Instance, execution, want[i].Events)
		if err != nil {
			r.env.t.Errorf("turnstiletest: AssertGolden: %s: %v: give the environment the codecs with which the file was written (WithCodecs), or rewrite the file with TURNSTILE_UPDATE=1", file, err)
			return
		}
		if w, g := lines(opened), lines(r.Execution(execution)); !slices.Equal(w, g) {
			r.env.t.Errorf("execution %d of instance %q differs from %s (TURNSTILE_UPDATE=1 rewrites the file)\n%s", execution, r.Instance, file, diff(w, g))
			return
		}
	}
}

// decodeExports decodes an export of one execution, or a document with several.
func decodeExports(data []byte) ([]history.Export, error) {
	var several struct{ Exports []json.RawMessage }
	if json.Unmarshal(data, &several) == nil && several.Exports != nil {
		r, err := recording.Decode(data)
		if err != nil {
			return nil, err
		}
		return r.Histories, nil
	}
	one, err := history.DecodeExport(data)
	return []history.Export{one}, err
}

// updating reports whether golden files are written. The package defines no flag of its own,
// because it would clash with a flag of the test.
func updating() bool {
	if os.Getenv("TURNSTILE_UPDATE") != "" {
		return true
	}
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}
