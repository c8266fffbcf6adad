package turnstile_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/kept"
)

const histories = "testdata/histories"

// builds has the checksum of each build's list of checksums; each build has a folder. So neither a
// history nor the list can change without a change of this table. Existing lines of the list may
// not change; files may be added.
var builds = map[string]string{
	"v0": "3285df5e1b8f39b6b6d411dafc4e599b96befb6ea3d87e90072cb316ab0aecc8",
}

// bundles returns the files with the random programs of all builds.
func bundles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(histories, "*", "programs", "*.tar.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no kept programs in %s: %v", histories, err)
	}
	return files
}

// The current code replays the histories of earlier builds: the replay follows each history to its
// end, adds nothing, and has the same outcome.
func TestV06WhatEarlierBuildsHaveWrittenReplays(t *testing.T) {
	t.Parallel()
	for _, file := range bundles(t) {
		t.Run(strings.TrimPrefix(file, histories+"/"), func(t *testing.T) {
			t.Parallel()
			runs, err := kept.ReadBundle(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range runs {
				registry, err := r.Programs.Registry()
				if err != nil {
					t.Fatalf("%s: %v", r.Name, err)
				}
				for _, x := range r.Executions {
					if err := x.Replay(registry); err != nil {
						t.Errorf("%s: %s/%s: %v", file, r.Name, x.File, err)
					}
				}
			}
		})
	}
}

func TestKeptHistoriesNeverChange(t *testing.T) {
	t.Parallel()
	folders, err := os.ReadDir(histories)
	if err != nil || len(folders) < len(builds) {
		t.Fatalf("there are %d folders of builds, %v", len(folders), err)
	}
	for _, f := range folders {
		if err := kept.CheckSums(filepath.Join(histories, f.Name())); err != nil {
			t.Error(err)
		}
		data, err := os.ReadFile(filepath.Join(histories, f.Name(), kept.Sums))
		if err != nil {
			t.Error(err)
		}
		sum := sha256.Sum256(data)
		if got := hex.EncodeToString(sum[:]); got != builds[f.Name()] {
			t.Errorf("the list of checksums of build %s has the sum %s, and this test's table %q", f.Name(), got, builds[f.Name()])
		}
	}
}

// The replay can fail: it detects a difference, and the error names the event.
func TestAReplayDetectsDifferences(t *testing.T) {
	t.Parallel()
	runs, err := kept.ReadBundle(bundles(t)[0])
	if err != nil {
		t.Fatal(err)
	}
	inputs, outputs := 0, 0
	for _, r := range runs {
		registry, err := r.Programs.Registry()
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range r.Executions {
			for i := range x.Events {
				e := &x.Events[i]
				if e.Kind != history.ActivityScheduled && e.Kind != history.OrchestrationCompleted {
					continue
				}
				own := e.Payload
				e.Payload = []byte(`"something else"`)
				err := x.Replay(registry)
				if err == nil || !strings.Contains(err.Error(), "event ") {
					t.Errorf("%s: %s: another payload of event %d gave %v", r.Name, x.File, e.EventID, err)
				}
				if e.Payload = own; e.Kind == history.ActivityScheduled {
					inputs++
				} else {
					outputs++
				}
			}
		}
	}
	if inputs < 20 || outputs < 20 {
		t.Errorf("%d inputs and %d outputs were changed: the test has lost its histories", inputs, outputs)
	}
}
