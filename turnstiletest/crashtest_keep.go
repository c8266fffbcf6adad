package turnstiletest

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/internal/exports"
	"github.com/turnstile-go/turnstile/internal/recording"
	"github.com/turnstile-go/turnstile/store"
)

// crashTestFolder is the environment variable that names the folder in which a CrashTest
// keeps its failing runs.
const crashTestFolder = "TURNSTILE_CRASH_TESTS"

// keep writes the current run to a file, with its problem, and returns a sentence that says where
// the file is and how to view it. A run is kept once. keep returns "" if there is nothing to keep.
func (d *crashTest) keep(problem string) string {
	if d.env == nil || d.kept {
		return ""
	}
	d.kept = true
	r := &recording.Recording{
		Kind:  recording.KindRun,
		Title: fmt.Sprintf("%s, run %d, %s", d.testName(), d.done.Runs, d.where()),
		Text:  strings.TrimSpace(problem),
	}
	if err := d.env.record(r); err != nil {
		return "\nThe run was not kept, because it could not be read: " + err.Error()
	}
	if len(r.Histories) == 0 {
		return ""
	}
	file, err := d.write(r)
	if err != nil {
		return "\nThe run could not be kept: " + err.Error()
	}
	return fmt.Sprintf("\nThe run is kept in %s\nTo see it, choose that file under Inspect in any console: turnstile dev, turnstile console, or a sample with -console", file)
}

// record adds all histories of the environment. It decodes their payloads as far as its codecs can.
// It never fails the test, which has already failed.
func (e *Env) record(r *recording.Recording) error {
	page := store.ListQuery{}
	var records []store.Record
	for {
		got, err := e.store.List(context.Background(), page)
		if err != nil {
			return err
		}
		records = append(records, got.Records...)
		if page.PageToken = got.NextPageToken; page.PageToken == "" {
			break
		}
	}
	// The console shows the first instance first, which the scenario started.
	slices.SortStableFunc(records, func(a, b store.Record) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.Instance, b.Instance))
	})
	for i := range records {
		of := &records[i]
		for n := range of.Executions() {
			turns, err := e.store.Read(context.Background(), of.Instance, n, 1)
			if err != nil {
				return err
			}
			if len(turns) == 0 {
				continue
			}
			x := exports.New(of.Instance, n, turns)
			x.Events = e.opts.codecs.OpenWhatItCan(of.Instance, n, x.Events)
			r.Histories = append(r.Histories, x)
		}
	}
	return nil
}

// write writes a recording to the folder of this test, and returns the file's path.
func (d *crashTest) write(r *recording.Recording) (string, error) {
	data, err := recording.Encode(r)
	if err != nil {
		return "", err
	}
	folder, err := d.folder()
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, fileName(fmt.Sprintf("%s-run-%d", d.testName(), d.done.Runs))+".json")
	return file, os.WriteFile(file, data, 0o644)
}

// folder returns where failing runs are kept: the folder that TURNSTILE_CRASH_TESTS names;
// otherwise the artifacts of the test, if go test was told to keep them (-artifacts); otherwise
// turnstile-crash-tests among the temporary files.
func (d *crashTest) folder() (string, error) {
	if folder := os.Getenv(crashTestFolder); folder != "" {
		return folder, os.MkdirAll(folder, 0o755)
	}
	if f := flag.Lookup("test.artifacts"); f != nil && f.Value.String() == "true" {
		if t, ok := d.t.(interface{ ArtifactDir() string }); ok {
			return t.ArtifactDir(), nil
		}
	}
	folder := filepath.Join(os.TempDir(), "turnstile-crash-tests")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	return folder, nil
}

// testName returns the name of the test, prefixed with the name of its binary, which is named after
// the package.
func (d *crashTest) testName() string {
	name := "crash test"
	if t, ok := d.t.(interface{ Name() string }); ok {
		name = t.Name()
	}
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), ".test") + "." + name
}

// fileName returns a name that is valid on every file system.
func fileName(s string) string {
	s = strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' {
			return c
		}
		return '-'
	}, s)
	if len(s) > 150 {
		s = s[len(s)-150:]
	}
	return s
}
