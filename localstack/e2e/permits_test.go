//go:build unix

package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
)

// Ten instances schedule 160 activities at once, for three workers: 100 under a limit of three and
// 60 under a rate. Never more than three run at a time: that is counted in the order in which the
// activities' own notes stand in one file, by no clock. That a rate lets through no more than it
// allows is held by the simulation.
// Each activity runs once and completes, and in the end nobody has a permit or waits for one.
func TestActivitiesUnderALimitAndUnderARate(t *testing.T) {
	t.Parallel()
	s, ctx := deployed(t)
	const most, atRate, span, instances = 3, 20, time.Second, 5
	limited, rated := crowdOf{Key: unique("limit"), Activities: 20, N: most}, crowdOf{Key: unique("rate"), Activities: 12, N: atRate, PerMS: span.Milliseconds()}
	notes := filepath.Join(t.TempDir(), "notes")
	spec := fleetSpec{orchestrators: 2, workers: 3, orchestrator: self(t, "orchestrator"), worker: self(t, "crowd")}
	spec.worker.Env = append(spec.worker.Env, notesVariable+"="+notes)
	f, stop := startFleet(ctx, t, s, spec)

	runs := map[string][]*client.Run[int]{}
	for n := range instances {
		for _, in := range []crowdOf{limited, rated} {
			run, err := client.Start(ctx, f.client, crowd, in, client.WithInstanceID(fmt.Sprintf("%s-%d", in.Key, n)))
			if err != nil {
				t.Fatal(err)
			}
			runs[in.Key] = append(runs[in.Key], run)
		}
	}
	for _, in := range []crowdOf{limited, rated} {
		for _, run := range runs[in.Key] {
			if got, err := run.Wait(ctx); err != nil || got != in.Activities {
				t.Fatalf("instance %s: %d, %v, want %d", run.Instance, got, err, in.Activities)
			}
		}
	}
	f.drain(ctx, t)
	stop()

	app, took := turnstile.NewApp(crowd.Implement(gather)), map[string]time.Duration{}
	for _, in := range []crowdOf{limited, rated} {
		var startedAt, ended int64
		for _, run := range runs[in.Key] {
			counts := map[history.Kind]int{}
			for _, e := range checkedHistory(ctx, t, f.client, app, run.Instance) {
				counts[e.Kind]++
				if startedAt == 0 || e.AtMS < startedAt {
					startedAt = e.AtMS
				}
				ended = max(ended, e.AtMS)
			}
			if counts[history.ActivityScheduled] != in.Activities || counts[history.ActivityCompleted] != in.Activities {
				t.Errorf("instance %s: events %v, want %d activities, each completed", run.Instance, counts, in.Activities)
			}
		}
		took[in.Key] = time.Duration(ended-startedAt) * time.Millisecond
	}
	if l, err := s.client.Limit(ctx, limited.Key); err != nil || l.Permits != most || len(l.Held)+len(l.Waiting) > 0 {
		t.Errorf("the limit is left as %+v, %v, want %d permits that nobody has or waits for", l, err, most)
	}

	saw, err := readNotes(notes)
	if err != nil {
		t.Fatal(err)
	}
	// A machine with other work may never have three at once. Two it has: see passThrough.
	if got := saw.atOnce[limited.Key]; got < 2 || got > most {
		t.Errorf("%d ran at a time at most under a limit of %d, want 2 to %d", got, most, most)
	}
	for _, in := range []crowdOf{limited, rated} {
		all := instances * in.Activities
		if got := saw.begun[in.Key]; got != all || saw.running[in.Key] != 0 {
			t.Errorf("%s: %d attempts have begun, and %d of them not ended, want %d and 0", in.Key, got, saw.running[in.Key], all)
		}
		t.Logf("%s: %d activities in %s, %.1f a second, %d at most at a time", in.Key, all, took[in.Key], float64(all)/took[in.Key].Seconds(), saw.atOnce[in.Key])
	}
	for service, n := range saw.requests {
		t.Logf("the workers made %.1f requests to %s for an activity, beside those by which their messages were received and deleted",
			float64(n)/float64(saw.begun[limited.Key]+saw.begun[rated.Key]), service)
	}
}

// noted is what stands in a file of notes, by key; requests by service.
type noted struct {
	running, atOnce, begun map[string]int
	requests               map[string]int
}

func readNotes(path string) (noted, error) {
	n := noted{map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}}
	text, err := os.ReadFile(path)
	if err != nil {
		return n, err
	}
	for line := range strings.Lines(string(text)) {
		word, about, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case noteStarts:
			n.running[about]++
			n.begun[about]++
			n.atOnce[about] = max(n.atOnce[about], n.running[about])
		case noteEnds:
			n.running[about]--
		case noteRequest:
			n.requests[about]++
		default:
			return n, fmt.Errorf("note %q is none", line)
		}
	}
	return n, nil
}
