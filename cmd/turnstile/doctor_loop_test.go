package main

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// An instance that was slowed of late is named, whether it runs or has ended: a loop of
// detached starts leaves one behind the other.
func TestDoctorNamesInstancesThatLoop(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put(store.Record{Instance: "spins", Name: "Again", Status: store.StatusRunning, CreatedAt: epoch.Add(-48 * time.Hour), LoopedAt: epoch.Add(-10 * time.Minute)})
	b.put(store.Record{Instance: "begot", Name: "Again", Status: store.StatusCompleted, CreatedAt: epoch.Add(-time.Minute), EndedAt: epoch.Add(-time.Minute), LoopedAt: epoch.Add(-time.Minute)})
	b.put(store.Record{Instance: "calm", Name: "Again", Status: store.StatusRunning, CreatedAt: epoch.Add(-48 * time.Hour), LoopedAt: epoch.Add(-3 * time.Hour)})
	r := b.run("doctor")
	if want := "problem\tinstances\t2 instances loop without a pause, and are slowed down: "; !strings.Contains(r.out, want) || r.status != exitFailed {
		t.Errorf("it says\n%s\nwithout %q", r.out, want)
	}
	for _, line := range strings.Split(r.out, "\n") {
		if strings.Contains(line, "without a pause") && (!strings.Contains(line, "spins") || !strings.Contains(line, "begot") || strings.Contains(line, "calm")) {
			t.Errorf("it says %q", line)
		}
	}
	if out := b.ok("describe", "spins"); !strings.Contains(out, "looping") || !strings.Contains(out, "loops without waiting") {
		t.Errorf("describe says\n%s", out)
	}
}
