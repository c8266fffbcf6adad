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
)

// Export returns the export of all executions of the instance, as Replay and the
// console take it: of an instance that has not continued as new it is what
// `turnstile history --json` prints. The export leaves out tokens that prove something.
// Payloads are as they are stored: with [WithCodecs], the export does not show their
// values, and Replay needs the same codecs.
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

// exports are the executions of an instance as they are stored, the oldest first;
// one without events where there is no record of it.
func (e *Env) exports(instance string) []history.Export {
	e.t.Helper()
	first, last := int64(1), int64(1)
	if r, err := e.store.Describe(context.Background(), instance); err == nil {
		first, last = max(r.FirstExecution, 1), r.ExecutionID
	}
	var all []history.Export
	for n := first; n <= last; n++ {
		all = append(all, exports.New(instance, n, e.turns(instance, n)))
	}
	return all
}

// AssertGolden fails the test, and lets it go on, if the history of the instance,
// all of its executions, differs from the file, its payloads included; the
// times at which events were recorded are not looked at. The file is an export:
// Replay takes it too, so that it goes on telling whether the instances of today
// can go on with the code of tomorrow. Payloads that are sealed are compared by
// what they are, as the environment's codecs open them on both sides: keep the
// keys of such a test fixed.
//
// With the environment variable TURNSTILE_UPDATE set, or the flag -update where
// the test defines it, the file is written instead.
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
			r.env.t.Errorf("the history of instance %q is not that of %s (TURNSTILE_UPDATE=1 writes it): it has %d executions, the file %d", r.Instance, file, len(got), len(want))
			return
		case i >= len(got):
			r.env.t.Errorf("the history of instance %q is not that of %s (TURNSTILE_UPDATE=1 writes it): the file has %d executions, the instance %d", r.Instance, file, len(want), len(got))
			return
		}
		execution := got[i].ExecutionID
		opened, err := r.env.opts.codecs.OpenEvents(r.Instance, execution, want[i].Events)
		if err != nil {
			r.env.t.Errorf("turnstiletest: AssertGolden: %s: %v: give the environment the codecs under which it was written (WithCodecs), or write it anew with TURNSTILE_UPDATE=1", file, err)
			return
		}
		if w, g := lines(opened), lines(r.Execution(execution)); !slices.Equal(w, g) {
			r.env.t.Errorf("execution %d of instance %q is not that of %s (TURNSTILE_UPDATE=1 writes it)\n%s", execution, r.Instance, file, diff(w, g))
			return
		}
	}
}

// decodeExports reads an export of one execution, or a document of several.
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

// updating reports whether golden files are to be written. The kit defines no
// flag of its own: a test that does would clash with it.
func updating() bool {
	if os.Getenv("TURNSTILE_UPDATE") != "" {
		return true
	}
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}
