package turnstiletest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// rounds continues as new until no round is left.
func rounds(pause time.Duration) func(turnstile.Context, int) (string, error) {
	return func(ctx turnstile.Context, left int) (string, error) {
		if err := turnstile.Sleep(ctx, pause); err != nil || left == 0 {
			return "over", err
		}
		return "", fulfil.ContinueAsNew(ctx, left-1)
	}
}

func TestAnExportHasAllExecutionsOfAnInstance(t *testing.T) {
	t.Parallel()
	run := func(ft turnstiletest.T, left int) *turnstiletest.Run[string] {
		env := turnstiletest.New(ft, flow(rounds(time.Hour)))
		run := turnstiletest.Start(env, fulfil, left, client.WithInstanceID("rounds"))
		if got, err := run.Wait(); got != "over" || err != nil {
			ft.Fatalf("it ended with %q, %v", got, err)
		}
		return run
	}
	const file = "testdata/golden/rounds.json"
	run(t, 2).AssertGolden(file)
	if *update {
		return
	}
	turnstiletest.Replay(t, flow(rounds(time.Hour)), file)
	if lines := strings.Count(string(run(t, 2).Export()), "\n"); lines != 2+3*(2+4) {
		t.Errorf("%d lines, want one for each event and a few around them", lines)
	}
	mentions(t, failure(t, func(ft turnstiletest.T) { run(ft, 1).AssertGolden(file) }), `execution 1 of instance "rounds" differs from testdata/golden/rounds.json`, "+   1 Started  Fulfil  1")
	mentions(t, failure(t, func(ft turnstiletest.T) { turnstiletest.Replay(ft, flow(rounds(time.Minute)), file) }),
		`instance "rounds" execution 1: `, `instance "rounds" execution 3: `, "TimerCreated(60000 ms)")

	// A history that has not ended yet, and one that continued.
	env := turnstiletest.New(t, flow(rounds(time.Hour)))
	startedAt := turnstiletest.Start(env, fulfil, 2, client.WithInstanceID("rounds"))
	env.Advance(61 * time.Minute)
	early := filepath.Join(t.TempDir(), "early.json")
	if err := os.WriteFile(early, startedAt.Export(), 0o644); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Hour)
	mentions(t, failure(t, func(ft turnstiletest.T) { run(ft, 2).AssertGolden(early) }), `execution 2 of instance "rounds" differs`, "+   3 Fired←2")
	turnstiletest.Replay(t, flow(rounds(time.Hour)), early)
}
