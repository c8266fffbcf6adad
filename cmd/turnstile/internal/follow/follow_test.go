package follow_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/follow"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/store"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// noon in the zone that a view has: people read the local time, programs that of UTC.
func noon(columns int) time.Time {
	if columns > 0 {
		return time.Date(2030, 1, 1, 12, 0, 0, 0, time.Local)
	}
	return time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
}

// state of an instance at one read of it.
type state struct {
	err     error
	record  client.Description
	exports map[int64][]history.Event
	// unread is the error of reading a history.
	unread error
}

// scripted goes to its next state at each sleep; at the end the context ends.
type scripted struct {
	states []state
	at     int
	slept  time.Duration
}

func (s *scripted) Describe(context.Context, string) (client.Description, error) {
	return s.states[s.at].record, s.states[s.at].err
}

func (s *scripted) Export(_ context.Context, instance string, execution int64) (history.Export, error) {
	now := &s.states[s.at]
	return history.Export{Instance: instance, ExecutionID: execution, Events: now.exports[execution]}, now.unread
}

func (s *scripted) sleep(_ context.Context, d time.Duration) bool {
	s.at, s.slept = s.at+1, s.slept+d
	return s.at < len(s.states)
}

func record(execution int64, status client.Status) client.Description {
	return client.Description{Instance: "order-1", Name: "Fulfil", ExecutionID: execution, Status: status}
}

// life has no record, begins, gets stuck and goes on, continues as new, and completes.
func life(noon time.Time) *scripted {
	at := noon.UnixMilli()
	first := []history.Event{
		{EventID: 1, Kind: history.OrchestrationStarted, Name: "Fulfil", AtMS: at, Start: &history.Start{ExecutionID: 1}, Payload: []byte(`{"id":"1"}`)},
		{EventID: 2, Kind: history.ActivityScheduled, Name: "Charge", AtMS: at, Payload: []byte(`900`)},
	}
	on := append(append([]history.Event{}, first...),
		history.Event{EventID: 3, Kind: history.ActivityCompleted, SourceEventID: 2, AtMS: at + 5000, Payload: []byte(`"paid"`)},
		history.Event{EventID: 4, Kind: history.OrchestrationContinuedAsNew, AtMS: at + 5000, Payload: []byte(`{"id":"1"}`)})
	second := []history.Event{
		{EventID: 1, Kind: history.OrchestrationStarted, Name: "Fulfil", AtMS: at + 5000, Start: &history.Start{ExecutionID: 2}},
		{EventID: 2, Kind: history.OrchestrationCompleted, AtMS: at + 5000, Payload: []byte(`"done"`)},
	}
	stuck := record(1, client.StatusStuck)
	stuck.Problem = &store.Problem{Kind: "panic", Message: "no carrier", EventID: 2}
	done := record(2, client.StatusCompleted)
	done.Output, done.CreatedAt, done.EndedAt = []byte(`"done"`), noon, noon.Add(5*time.Second)
	return &scripted{states: []state{
		{err: client.ErrNotFound},
		{err: client.ErrNotFound},
		{record: record(1, client.StatusRunning), exports: map[int64][]history.Event{1: first}},
		{err: store.ErrUnavailable},
		{record: stuck, exports: map[int64][]history.Event{1: first}},
		{record: stuck, exports: map[int64][]history.Event{1: first}},
		{record: done, exports: map[int64][]history.Event{1: on, 2: second}},
	}}
}

// following is a follower of a script, and all that it prints.
func following(s *scripted, columns int) (f *follow.Follower, printed func() string) {
	var out, notes strings.Builder
	screen := term.Screen{Writer: &out}
	if columns > 0 {
		screen = term.Fixed(&out, columns, term.ColoursNever, func(string) string { return "" })
	}
	f = &follow.Follower{Instances: s, Instance: "order-1", Every: time.Second, Out: &screen, Notes: &notes, Sleep: s.sleep, Now: func() time.Time { return noon(80).Add(s.slept) }}
	return f, func() string { return out.String() + "--- notes\n" + notes.String() }
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update rewrites it):\n%s\nwant\n%s", file, got, want)
	}
}

func TestAnInstanceIsFollowedThroughItsLife(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file    string
		columns int
		change  func(f *follow.Follower)
	}{
		{"person.txt", 80, func(*follow.Follower) {}},
		{"program.txt", 0, func(*follow.Follower) {}},
		{"json.txt", 0, func(f *follow.Follower) {
			f.Line = func(v any) error {
				e := v.(api.Event)
				_, err := fmt.Fprintln(f.Out, e.EventID, e.Kind, e.Name)
				return err
			}
		}},
		{"new.txt", 80, func(f *follow.Follower) { f.OnlyNew = true }},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			s := life(noon(c.columns))
			f, printed := following(s, c.columns)
			c.change(f)
			d, err := f.Run(t.Context())
			if err != nil || d.Status != client.StatusCompleted || d.ExecutionID != 2 {
				t.Errorf("it ends with %+v, %v", d, err)
			}
			if want := time.Duration(len(s.states)-1) * time.Second; s.slept != want {
				t.Errorf("it slept %s, want %s", s.slept, want)
			}
			golden(t, c.file, printed())
		})
	}
}

func TestFollowingEndsByItsErrors(t *testing.T) {
	t.Parallel()
	unread, corrupt := errors.New("unread"), record(1, client.StatusCorrupt)
	corrupt.Problem = &store.Problem{Kind: store.ProblemCorrupt, Message: "an event is missing"}
	for _, c := range []struct {
		about  string
		states []state
		says   string
		// last: the error has the last record that was read.
		waits, last bool
	}{
		{"the record cannot be read", []state{{err: unread}}, "unread", false, false},
		{"the history cannot be read", []state{{record: record(1, client.StatusRunning), unread: unread}}, "unread", false, false},
		{"it is purged", []state{{record: record(1, client.StatusRunning)}, {err: &client.NotFoundError{Instance: "order-1", FreeAt: time.Unix(0, 0)}}}, "has been purged", false, false},
		{"it was purged before", []state{{err: &client.NotFoundError{Instance: "order-1", FreeAt: time.Unix(0, 0)}}}, "has been purged", false, false},
		{"no record comes in time", []state{{err: client.ErrNotFound}}, "", true, false},
		{"it does not end in time", []state{{record: record(1, client.StatusRunning)}}, "", true, true},
		{"the history of a corrupt instance cannot be read", []state{{record: corrupt, unread: unread}}, "", true, true},
	} {
		s := &scripted{states: c.states}
		f, printed := following(s, 0)
		ctx, stop := context.WithCancel(t.Context())
		sleep := f.Sleep
		f.Sleep = func(ctx context.Context, d time.Duration) bool {
			more := sleep(ctx, d)
			if !more {
				stop()
			}
			return more
		}
		_, err := f.Run(ctx)
		stop()
		wait, waits := errors.AsType[*client.WaitError](err)
		if err == nil || !strings.Contains(err.Error(), c.says) || waits != c.waits || waits && (wait.Last != nil) != c.last {
			t.Errorf("%s: %v", c.about, err)
		}
		if c.last && c.states[0].record.Problem != nil && !strings.Contains(printed(), "an event is missing") {
			t.Errorf("%s: printed is %s", c.about, printed())
		}
	}
}
