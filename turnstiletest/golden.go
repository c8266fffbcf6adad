package turnstiletest

import (
	"flag"
	"os"
	"path/filepath"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Export returns the export of the instance's current execution, as Replay
// takes it. What proves something is left out of it. Payloads are as they are
// stored: with Codecs, the export shows nobody what they are, and Replay needs
// the same Codecs.
func (r *Run[Out]) Export() []byte {
	r.env.t.Helper()
	execution := r.env.execution(r.Instance)
	return history.EncodeExport(store.Export(r.Instance, execution, r.env.turns(r.Instance, execution)))
}

// AssertGolden fails the test, and lets it go on, if the history of the
// instance's current execution is not that of the file, its payloads included;
// the times at which events were recorded are not looked at. The file is an
// export: Replay takes it too, so that it goes on telling whether the instances
// of today can go on with the code of tomorrow. Payloads that are sealed are
// compared by what they are, as the environment's Codecs open them on both
// sides: keep the keys of such a test fixed.
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
	want, err := history.DecodeExport(data)
	if err != nil {
		r.env.t.Fatalf("turnstiletest: AssertGolden: %s: %v", file, err)
	}
	execution := r.env.execution(r.Instance)
	opened, err := r.env.opts.codecs.OpenEvents(r.Instance, execution, want.Events)
	if err != nil {
		r.env.t.Errorf("turnstiletest: AssertGolden: %s: %v: give the environment the Codecs under which it was written, or write it anew with TURNSTILE_UPDATE=1", file, err)
		return
	}
	if w, got := lines(opened), lines(r.History()); !slices.Equal(w, got) {
		r.env.t.Errorf("the history of instance %q is not that of %s (TURNSTILE_UPDATE=1 writes it)\n%s", r.Instance, file, diff(w, got))
	}
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
