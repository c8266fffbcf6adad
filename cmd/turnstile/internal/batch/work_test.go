package batch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/remote"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/store"
)

// site is a worker whose time passes by its own waiting, with what it did.
type site struct {
	batch.Worker
	mu    sync.Mutex
	now   time.Time
	did   map[string]int
	notes strings.Builder
}

func newSite(t *testing.T, do func(instance string, try int) error) *site {
	s := &site{now: time.Unix(100, 0), did: map[string]int{}}
	s.Worker = batch.Worker{
		Folder: batch.Folder(t.TempDir()), Rate: 10, Notes: &term.Screen{Writer: &s.notes}, Command: "turnstile --stack shop cancel",
		Now: func() time.Time {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.now
		},
		Sleep: func(ctx context.Context, d time.Duration) bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.now = s.now.Add(d)
			return ctx.Err() == nil
		},
		Do: func(_ context.Context, _ *batch.Job, instance string) error {
			s.mu.Lock()
			s.did[instance]++
			try := s.did[instance]
			s.mu.Unlock()
			return do(instance, try)
		},
	}
	return s
}

// job has instances i-0, i-1 and so on.
func (s *site) job(t *testing.T, n int) *batch.Job {
	t.Helper()
	j := &batch.Job{Verb: "cancel", MadeAt: s.now}
	for i := range n {
		j.Instances = append(j.Instances, fmt.Sprint("i-", i))
	}
	if err := s.Folder.Create(j); err != nil {
		t.Fatal(err)
	}
	return j
}

func TestWhatPassesIsTriedAgainAndWhatHasEndedIsSkipped(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(instance string, try int) error {
		switch {
		case instance == "i-0" && try < 4:
			return fmt.Errorf("send: %w", store.ErrUnavailable)
		case instance == "i-1":
			return &client.EndedError{Instance: instance, Status: client.StatusCompleted}
		case instance == "i-2":
			return &remote.Error{Said: api.Error{Code: api.CodeEnded}}
		case instance == "i-3":
			return client.ErrNoRecord
		}
		return nil
	})
	startedAt := s.now
	result, err := s.Work(t.Context(), s.job(t, 5), 0)
	if p := result.Progress; err != nil || p.Sent != 3 || p.Skipped != 2 || p.Failed != 0 || s.did["i-0"] != 4 {
		t.Errorf("it came to %+v with %d tries of the first, %v", p, s.did["i-0"], err)
	}
	if waited := s.now.Sub(startedAt); waited < 7*time.Second {
		t.Errorf("the pauses between tries are %s in all, want 1, 2 and 4 seconds at least", waited)
	}
	var said strings.Builder
	result.Print(&said)
	if want := "sent: cancel for 3 instances; 2 skipped, because they had already ended or were purged\n"; said.String() != want {
		t.Errorf("it says %q, want %q", said.String(), want)
	}
	if left := s.Folder.IDs(); len(left) != 0 {
		t.Errorf("a job that is done stays in its folder: %v", left)
	}
}

func TestAFailureIsReportedAndAnErrorAtTheEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(instance string, _ int) error {
		if instance == "i-1" {
			return errors.New("turnstile: re\x1b[2Jfused")
		}
		return nil
	})
	result, err := s.Work(t.Context(), s.job(t, 3), 0)
	if err == nil || err.Error() != "nothing was sent to 1 of 3 instances (see above)" || s.did["i-1"] != 1 {
		t.Errorf("the error is %v after %d tries", err, s.did["i-1"])
	}
	if got := s.notes.String(); !strings.HasPrefix(got, "not sent: cancel for i-1: re") || strings.Contains(got, "\x1b") {
		t.Errorf("it tells %q", got)
	}
	text, err := json.Marshal(result.Batch())
	for _, want := range []string{`"action":"cancel"`, `"selected":3`, `"sent":2`, `"failed_count":1`, `"instance":"i-1"`} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("as JSON it is %s, %v, without %s", text, err, want)
		}
	}
	if result.Batch().ID != "" {
		t.Error("a job that is done has an id to continue with")
	}
}

func TestAnInterruptedJobSaysHowToContinueAndDoesTheRest(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	s := newSite(t, func(instance string, _ int) error {
		if instance == "i-120" {
			interrupt()
		}
		return nil
	})
	j := s.job(t, 300)
	result, err := s.Work(ctx, j, 0)
	p := result.Progress
	if want := fmt.Sprintf("interrupted: %d of 300 instances done. Continue with:\n  turnstile --stack shop cancel --resume %s", p.Done, j.ID); err == nil || err.Error() != want || result.Batch().ID != j.ID {
		t.Fatalf("the error is %v, want %s", err, want)
	}
	kept, done, err := s.Folder.Open(j.ID)
	if err != nil || done < 100 || done > p.Done {
		t.Fatalf("noted are %d of %d, %v", done, p.Done, err)
	}
	if result, err = s.Work(t.Context(), &kept, done); err != nil || result.Progress.Done != 300 || len(s.did) != 300 {
		t.Errorf("then it came to %+v with %d instances, %v", result.Progress, len(s.did), err)
	}
}

func TestAJobOfWhichNothingGoesThroughStops(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(string, int) error { return errors.New("refused") })
	j := s.job(t, 500)
	result, err := s.Work(t.Context(), j, 0)
	if p := result.Progress; err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("stopped after %d failures", p.Failed)) || p.Failed < 20 || p.Failed > 40 || len(s.did) != p.Failed {
		t.Errorf("it came to %+v, %v", p, err)
	}
	if open := s.Folder.IDs(); len(open) != 1 || open[0] != j.ID {
		t.Errorf("in the folder is %v", open)
	}
}

func TestFailuresAreReportedUpToAHundred(t *testing.T) {
	t.Parallel()
	first := make(chan struct{}) // A job of which nothing went through yet would stop.
	s := newSite(t, func(instance string, _ int) error {
		if instance == "i-0" {
			close(first)
			return nil
		}
		<-first
		return errors.New("refused")
	})
	j := s.job(t, 150)
	result, _ := s.Work(t.Context(), j, 0)
	told := strings.Count(s.notes.String(), "not sent:")
	if result.Progress.Failed != 149 || told != 100 || len(result.Failures) != 100 {
		t.Errorf("told are %d of %d failures, returned %d", told, result.Progress.Failed, len(result.Failures))
	}
}
