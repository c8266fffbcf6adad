package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/kept"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const histories = "../../testdata/histories"

// open returns the application, with only the orchestration implemented.
func open(t *testing.T) *turnstiletest.Env {
	t.Helper()
	env := turnstiletest.New(t, turnstile.NewApp(Import.Implement(importAll)))
	t.Cleanup(func() { kept.Sample(t, env.Client(), histories, "files") })
	return env
}

// named returns the sorted names of the files that mocks received.
func named(files []File) []string {
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names
}

func isBroken(f File) bool { return f.Name == "broken.csv" }

func TestADeliveryIsConvertedAndPublished(t *testing.T) {
	t.Parallel()
	env := open(t)
	turnstiletest.On(env, List).Return([]string{"a.csv", "broken.csv", "c.csv"}, nil)
	turnstiletest.On(env, Convert).Match(isBroken).Return(Table{}, turnstile.NonRetryable(errors.New("no CSV")))
	turnstiletest.On(env, Convert).Do(func(_ context.Context, f File) (Table, error) { return Table{Name: f.Name, Rows: 1}, nil })
	publish := turnstiletest.On(env, Publish).Return(turnstile.None{}, nil)

	report, err := turnstiletest.Start(env, Import, Delivery{Folder: "monday", Limit: 2, Tolerate: 1}).Wait()
	if err != nil || len(report.Tables) != 2 || !slices.Equal(report.Skipped, []string{"broken.csv"}) {
		t.Errorf("the report is %+v, %v", report, err)
	}
	if publish.Calls() != 1 {
		t.Errorf("it was published %d times", publish.Calls())
	}
}

func TestWhatWasConvertedIsRemovedWhenAFileFails(t *testing.T) {
	t.Parallel()
	env := open(t)
	turnstiletest.On(env, List).Return([]string{"a.csv", "broken.csv", "c.csv", "never.csv"}, nil)
	turnstiletest.On(env, Convert).Match(isBroken).Return(Table{}, turnstile.NonRetryable(turnstile.WithCode(errors.New("no CSV"), "unreadable")))
	convert := turnstiletest.On(env, Convert).Return(Table{Name: "t", Rows: 1}, nil).After(time.Minute)
	remove := turnstiletest.On(env, Remove).Return(turnstile.None{}, nil)

	_, err := turnstiletest.Start(env, Import, Delivery{Folder: "tuesday", Limit: 2}).Wait()
	failed, ok := errors.AsType[*client.OrchestrationError](err)
	if !ok || failed.Code != "unreadable" || !strings.Contains(failed.Message, "importing tuesday: item 1") {
		t.Errorf("it ended with %v", err)
	}
	if got, want := named(remove.Inputs()), []string{"a.csv", "broken.csv"}; !slices.Equal(got, want) {
		t.Errorf("removed were %v, want %v: what was begun, and nothing else", got, want)
	}
	if got := named(convert.Inputs()); slices.Contains(got, "never.csv") {
		t.Errorf("converted were %v, though no other file was to begin", got)
	}
}

func TestACancelledImportLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	env := open(t)
	turnstiletest.On(env, List).Return([]string{"a.csv", "b.csv"}, nil)
	turnstiletest.On(env, Convert).Return(Table{Name: "t", Rows: 1}, nil).After(30 * time.Second)
	remove := turnstiletest.On(env, Remove).Return(turnstile.None{}, nil)

	run := turnstiletest.Start(env, Import, Delivery{Folder: "wednesday"})
	env.After(10*time.Second, func() { run.Cancel("wrong folder") })
	if _, err := run.Wait(); !errors.Is(err, turnstile.ErrCancelled) {
		t.Errorf("it ended with %v", err)
	}
	if got, want := named(remove.Inputs()), []string{"a.csv", "b.csv"}; !slices.Equal(got, want) {
		t.Errorf("removed were %v, want %v", got, want)
	}
}

// Every started conversion is removed, whatever crashes.
func TestACrashAnywhereChangesNothing(t *testing.T) {
	t.Parallel()
	turnstiletest.CrashTest(t, turnstile.NewApp(Import.Implement(importAll)), func(env *turnstiletest.Env) {
		turnstiletest.On(env, List).Return([]string{"a.csv", "broken.csv"}, nil)
		turnstiletest.On(env, Convert).Match(isBroken).Return(Table{}, turnstile.NonRetryable(errors.New("no CSV"))).After(time.Second)
		turnstiletest.On(env, Convert).Return(Table{Name: "a", Rows: 1}, nil)
		turnstiletest.On(env, Remove).Return(turnstile.None{}, nil)
		turnstiletest.Start(env, Import, Delivery{Folder: "monday", Limit: 2}).Wait()
	})
}

// The code replays the histories that earlier builds of this application have written: see
// docs/internal/testing.md. With TURNSTILE_KEEP=BUILD the other tests write their histories.
func TestV06HistoriesOfEarlierBuildsReplay(t *testing.T) {
	t.Parallel()
	turnstiletest.Replay(t, turnstile.NewApp(Import.Implement(importAll)), histories+"/*/files/*.json")
}

func TestTheStory(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if status := sample.Run(t.Context(), nil, &out); status != 0 {
		t.Fatalf("exit status %d\n%s", status, out.String())
	}
	for _, want := range []string{
		"monday has 5 files", "broken.csv can't be read", "4 tables are published, 1 files were skipped",
		"the import ended with 4 tables, without [broken.csv]", "the table of broken.csv is removed", "the import failed:",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the story lacks %q:\n%s", want, out.String())
		}
	}
}
