package embedded_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/schedule"
)

// An option that can never work is an error of New, which names the value and says what to do.
func TestOptionsThatCanNeverWorkAreErrorsOfNew(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[int, int]("Flow")
	work := turnstile.NewActivity[int, int]("Work")
	part := schedule.Part()
	e, err := embedded.New(turnstile.NewApp(part, flow.Implement(func(_ turnstile.Context, n int) (int, error) { return n, nil })), embedded.WithVirtualTime(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- e.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	due := func(cron, zone string) error {
		return schedule.NewClient(e.Client()).Create(t.Context(), schedule.Definition{Name: "s", Cron: cron, TimeZone: zone, Starts: schedule.Orchestration(flow, 1)})
	}
	limited := func(o turnstile.ActivityOption) error {
		return turnstile.NewApp(work.With(o).Implement(func(_ context.Context, n int) (int, error) { return n, nil })).Err()
	}
	kept := func(d time.Duration) error {
		return turnstile.NewApp(flow.With(turnstile.Retention(d)).Implement(func(_ turnstile.Context, n int) (int, error) { return n, nil })).Err()
	}
	field := func(name, value string) func(error) bool {
		return func(err error) bool {
			e, is := errors.AsType[*schedule.InvalidError](err)
			return is && e.Schedule == "s" && e.Field == name && e.Value == value
		}
	}
	argument := func(call, name string) func(error) bool {
		return func(err error) bool {
			e, is := errors.AsType[*turnstile.InvalidArgumentError](err)
			return is && e.Call == call && e.Argument == name
		}
	}
	path := func(err error) bool { _, is := errors.AsType[*os.PathError](err); return is }
	locked := filepath.Join(t.TempDir(), "locked")
	if err := os.Mkdir(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		err  error
		is   func(error) bool
		says []string
	}{
		{"a cron that is never due", due("0 0 30 2 *", ""), field("cron", "0 0 30 2 *"), []string{`"0 0 30 2 *"`, "no day has this date"}},
		{"an invalid cron expression", due("0 25 * * *", ""), field("cron", "0 25 * * *"), []string{`"0 25 * * *"`, "give five fields"}},
		{"an unknown time zone", due("@daily", "Mars/Base"), field("zone", "Mars/Base"), []string{`"Mars/Base"`, "give an IANA name"}},
		{"a limit below zero, by an operator", e.Client().SetLimit(t.Context(), "stripe", -1), argument("SetLimit", "n"), []string{"is -1", "from 0 to"}},
		{"a limit of zero, in code", limited(turnstile.Limit("stripe", 0)), argument("Limit", "n"), []string{`activity "Work"`, "is 0", "from 1 to"}},
		{"a rate of zero, in code", limited(turnstile.Rate("stripe", 0, time.Second)), argument("Rate", "n"), []string{"is 0", "from 1 to"}},
		{"a retention below what a purge needs", kept(59 * time.Minute), argument("Retention", "duration"), []string{`orchestration "Flow"`, "is 59m0s", "at least 1h0m0s", "leave it out"}},
		{"the same as a setting of the stack", newWith(embedded.WithSettings(host.Settings{Purge: host.PurgeSettings{Retention: 59 * time.Minute}})), argument("WithSettings", "setting Purge.Retention"), []string{"is 59m0s", "at least", "0 keeps instances for ever"}},
		{"an archive that is not a folder", archive(file), path, []string{"cannot be created", file, "use a folder that this process may create"}},
		{"an archive that cannot be written to", archive(locked), path, []string{"cannot be written to", locked, "let this process write there"}},
	} {
		if c.err == nil && os.Geteuid() == 0 && strings.HasSuffix(c.what, "cannot be written to") {
			continue // Root can write everywhere.
		}
		if c.err == nil || !c.is(c.err) {
			t.Errorf("%s: the error is %T: %v", c.what, c.err, c.err)
			continue
		}
		for _, want := range c.says {
			if !strings.Contains(c.err.Error(), want) {
				t.Errorf("%s: it says %q, without %q", c.what, c.err, want)
			}
		}
	}
}

func newWith(o embedded.Option) error {
	_, err := embedded.New(turnstile.NewApp(), o)
	return err
}

func archive(folder string) error {
	_, err := embedded.ArchiveFolder(folder)
	return err
}
