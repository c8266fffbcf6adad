package embedded_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestHistoriesPurgedByRetentionAreArchivedAndReplay(t *testing.T) {
	t.Parallel()
	loop, rounds, first := turnstile.NewOrchestration[int, int]("Loop"), turnstile.NewState[int]("rounds"), turnstile.NewState[string]("first")
	app := turnstile.NewApp(loop.With(turnstile.Retention(2 * time.Hour)).Implement(func(ctx turnstile.Context, n int) (int, error) {
		if n == 1 {
			if err := first.Set(ctx, "one"); err != nil {
				return 0, err
			}
		}
		if err := errors.Join(turnstile.Sleep(ctx, time.Minute), rounds.Set(ctx, n)); err != nil || n == 3 {
			return n, err
		}
		return 0, loop.ContinueAsNew(ctx, n+1)
	}))
	folder := filepath.Join(t.TempDir(), "kept", "here")
	archive, err := embedded.ArchiveFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	r, err := embedded.New(app, embedded.WithVirtualTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), embedded.WithArchive(archive))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- r.Run(ctx) }()
	run, err := client.Start(ctx, r.Client(), loop, 1, client.WithInstanceID("Order/1"))
	if err != nil {
		t.Fatal(err)
	}
	for {
		// The instance may be purged, after hours of virtual time, before the test sees its end.
		_, err := run.Wait(ctx)
		_, purged := errors.AsType[*client.PurgedError](err)
		if _, gone := errors.AsType[*client.NotFoundError](err); gone || purged {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for _, n := range []string{"1", "2", "3"} {
		data, err := os.ReadFile(filepath.Join(folder, "%4Frder%2F1", n+".json"))
		if err != nil {
			t.Fatal(err)
		}
		x, err := history.DecodeExport(data)
		if err != nil || x.Instance != "Order/1" || len(x.Turns) == 0 {
			t.Errorf("execution %s: %+v, %v", n, x, err)
		}
	}
	// The record with its states is gone. A replay of the last document computes them, with their numbers
	// and times.
	if _, err := client.Get(t.Context(), r.Client(), rounds, "Order/1"); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("a state after the purge: %v", err)
	}
	var last history.Export
	if data, err := os.ReadFile(filepath.Join(folder, "%4Frder%2F1", "3.json")); err != nil {
		t.Fatal(err)
	} else if last, err = history.DecodeExport(data); err != nil {
		t.Fatal(err)
	}
	replay := engine.New(engine.Config{Instance: last.Instance, ExecutionID: last.ExecutionID, Registry: app.Orchestrations()})
	defer replay.Close()
	if err := replay.Feed(last.Events, false); err != nil {
		t.Fatal(err)
	}
	turn, err := replay.Run(engine.Input{})
	if err != nil {
		t.Fatal(err)
	}
	states, err := history.DecodeStates(turn.States)
	if err != nil || len(states) != 2 {
		t.Fatalf("%d states, %v", len(states), err)
	}
	want := []history.State{
		{Name: "first", Value: []byte(`"one"`), ExecutionID: 1, EventID: 1, AtMS: states[0].AtMS},
		{Name: "rounds", Value: []byte("3"), ExecutionID: 3, EventID: 3, AtMS: last.Events[2].AtMS},
	}
	if !reflect.DeepEqual(states, want) || states[0].AtMS >= last.Events[0].AtMS {
		t.Errorf("the states are %+v, want %+v", states, want)
	}
	turnstiletest.Replay(t, app, filepath.Join(folder, "%4Frder%2F1", "*.json"))
	if entries, err := os.ReadDir(filepath.Join(folder, "%4Frder%2F1")); err != nil || len(entries) != 3 {
		t.Errorf("%d files, want three: %v", len(entries), err)
	}
}

func TestAFolderThatCannotBeCreatedIsAnError(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := embedded.ArchiveFolder(filepath.Join(file, "below")); err == nil || !strings.Contains(err.Error(), "of the archive cannot be created") {
		t.Errorf("error %v", err)
	}
}

func TestIdsThatAFileSystemCannotDistinguishHaveSeparateFolders(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	archive, err := embedded.ArchiveFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{"a", "A", ".", "..", "a/b", "a%2Fb", strings.Repeat("x", 400), strings.Repeat("x", 401), "ä"}
	for _, id := range ids {
		if err := archive.Keep(t.Context(), id, 1, []byte(id)); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, e := range entries {
		seen[strings.ToLower(e.Name())] = true
	}
	if len(seen) != len(ids) {
		t.Errorf("%d folders for %d ids: %v", len(seen), len(ids), entries)
	}
}
