package guide_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

var Import = turnstile.NewOrchestration[string, string]("Import")

func imported(ctx turnstile.Context, file string) (string, error) {
	return "imported " + file, turnstile.Sleep(ctx, time.Minute)
}

var importApp = turnstile.NewApp(
	Import.With(turnstile.Retention(7 * 24 * time.Hour)).Implement(imported), // this one is kept for a week
)

// All others are kept for a month.
var keepAMonth = host.Settings{Purge: host.PurgeSettings{Retention: 30 * 24 * time.Hour}}

var Watch = turnstile.NewOrchestration[int, int]("Watch")

// watch looks each day, and continues as new.
func watch(ctx turnstile.Context, day int) (int, error) {
	if err := turnstile.Sleep(ctx, 24*time.Hour); err != nil {
		return day, err
	}
	return 0, Watch.ContinueAsNew(ctx, day+1)
}

var watchApp = turnstile.NewApp(
	Watch.With(turnstile.KeepExecutions(10)).Implement(watch), // the current execution and the nine before it
)

func TestAWatchIsPruned(t *testing.T) {
	env := turnstiletest.New(t, watchApp)
	turnstiletest.Start(env, Watch, 1, client.WithInstanceID("w"))
	env.Advance(60 * 24 * time.Hour)
	d, err := env.Client().Describe(t.Context(), "w")
	if err != nil || d.ExecutionID < 60 || d.Pruned < 30 || d.FirstExecution != d.Pruned+1 {
		t.Errorf("execution %d, kept from %d on, %d pruned: %v", d.ExecutionID, d.FirstExecution, d.Pruned, err)
	}
}

func withArchive(app *turnstile.App) (*embedded.Runtime, error) {
	archive, err := embedded.ArchiveFolder("archive")
	if err != nil {
		return nil, err
	}
	return embedded.New(app, embedded.WithSettings(keepAMonth), embedded.WithArchive(archive))
}

func TestTheArchiveIsAFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	r, err := withArchive(importApp)
	if err != nil {
		t.Fatal(err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if err := r.Run(ended); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("archive"); err != nil {
		t.Error(err)
	}
}

func TestAnImportIsKeptForAWeek(t *testing.T) {
	env := turnstiletest.New(t, importApp, turnstiletest.WithSettings(keepAMonth))
	run := turnstiletest.Start(env, Import, "a.csv", client.WithInstanceID("a"))
	if out, err := run.Wait(); err != nil || out != "imported a.csv" {
		t.Fatal(out, err)
	}
	env.Advance(7*24*time.Hour - time.Minute)
	if _, err := env.Client().Describe(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	env.Advance(10 * time.Minute)
	if d, err := env.Client().Describe(t.Context(), "a"); err == nil {
		t.Errorf("it is still %s", d.Status)
	}
}
