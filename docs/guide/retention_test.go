package guide_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
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

func TestAnImportIsThereForAWeek(t *testing.T) {
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
