package turnstiletest_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/codec/gzip"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// exported runs an instance of charging and shipping up to a milestone, or to its
// end, and returns its export.
func exported(t *testing.T, until *turnstiletest.Milestone) string {
	t.Helper()
	env := turnstiletest.New(t, flow(chargeAndShip))
	turnstiletest.On(env, charge).Return("r-1", nil)
	turnstiletest.On(env, ship).Return("t-1", nil)
	run := turnstiletest.Start(env, fulfil, 7, client.WithInstanceID("order-7"))
	if until != nil {
		env.RunUntil(*until)
	} else if _, err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	return string(run.Export())
}

func chargeAndShip(ctx turnstile.Context, n int) (string, error) {
	receipt, err := charge.Call(ctx, n)
	if err != nil {
		return "", err
	}
	if err := turnstile.Sleep(ctx, time.Hour); err != nil {
		return "", err
	}
	return ship.Call(ctx, receipt)
}

func write(t *testing.T, name, content string) (pattern string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "*.json")
}

func TestO07HistoriesThatTheCodeFollows(t *testing.T) {
	t.Parallel()
	blocked := turnstiletest.Idle()
	started := turnstiletest.ActivityStarted(charge)
	for name, content := range map[string]string{
		"one with its end":                           exported(t, nil),
		"one that waits for a timer":                 exported(t, &blocked),
		"one that waits for its first activity":      exported(t, &started),
		"one that does not say whose it is":          strings.Replace(exported(t, nil), `,"instance":"order-7","execution_id":1`, "", 1),
		"a history that ends with an open operation": upTo(exported(t, nil), 3),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turnstiletest.Replay(t, flow(chargeAndShip), write(t, "order.json", content))
		})
	}
}

// upTo cuts an export after its first events.
func upTo(export string, events int) string {
	all := strings.SplitAfter(export, "\n")
	return strings.Join(all[:events], "") + strings.TrimSuffix(all[events], ",\n") + "\n]}\n"
}

func TestO07R04R05R06R07ReplayShowsWhereHistoryAndCodePart(t *testing.T) {
	t.Parallel()
	whole := exported(t, nil)
	for name, c := range map[string]struct {
		code    func(turnstile.Context, int) (string, error)
		content string
		want    []string
	}{
		"R-04 another activity": {func(ctx turnstile.Context, n int) (string, error) {
			if _, err := charge.Call(ctx, n); err != nil {
				return "", err
			}
			return ship.Call(ctx, "r-1")
		}, whole, []string{`instance "order-7" execution 1`, "at event 4", "    2 Act(Charge)  7", `    3 Done←2  "r-1"`, ">   4 Timer(1h0m0s)",
			"history has   TimerCreated(3600000 ms)", `the code did  started ActivityScheduled("Ship"`, "at            ", "replay_test.go:"}},
		"R-05 an operation less": {func(ctx turnstile.Context, n int) (string, error) {
			_, err := charge.Call(ctx, n)
			if err != nil {
				return "", err
			}
			return approved.Wait(ctx)
		}, whole, []string{"at event 4", "ExternalSubscribed", "replay_test.go:"}},
		"R-06 code that returns too early": {func(ctx turnstile.Context, n int) (string, error) {
			_, err := charge.Call(ctx, n)
			return "", err
		}, whole, []string{"at event 4", "history has", "the code did"}},
		"R-24 another duration of a timer": {func(ctx turnstile.Context, n int) (string, error) {
			receipt, err := charge.Call(ctx, n)
			if err != nil {
				return "", err
			}
			if err := turnstile.Sleep(ctx, 2*time.Hour); err != nil {
				return "", err
			}
			return ship.Call(ctx, receipt)
		}, whole, []string{"at event 4", "TimerCreated(3600000 ms)", "TimerCreated(7200000 ms)", "duration differs", "replay_test.go:"}},
		"R-24 inline in place of queued": {func(ctx turnstile.Context, n int) (string, error) {
			return charge.Inline(ctx, n)
		}, whole, []string{"at event 2", "inline or queued differs", "replay_test.go:"}},
		"R-07 another end": {func(ctx turnstile.Context, n int) (string, error) {
			s, err := chargeAndShip(ctx, n)
			return s + "!", err
		}, whole, []string{"at event 8", `OrchestrationCompleted(output "t-1")`, `t-1!`}},
		"R-14 a panic": {func(ctx turnstile.Context, n int) (string, error) {
			if _, err := charge.Call(ctx, n); err != nil {
				return "", err
			}
			panic("kaboom")
		}, whole, []string{"(panic)", "kaboom", "replay_test.go:"}},
		"R-08 a completion of nothing": {chargeAndShip, strings.Replace(whole, `"source_event_id":2`, `"source_event_id":1`, 1),
			[]string{"corrupt at event 3"}},
		"R-09 a gap": {chargeAndShip, strings.Replace(whole, `"event_id":3`, `"event_id":9`, 1), []string{"corrupt at event 9"}},
		"V-07 an event of a newer build": {chargeAndShip, strings.Replace(whole, "TimerFired", "TimerBent", 1),
			[]string{"newer build", "replay it with that build"}},
		"V-02 a version that is not registered": {chargeAndShip, strings.Replace(whole, `"name":"Fulfil"`, `"name":"Fulfil","version":"2"`, 1),
			[]string{"not_registered", `version "2"`}},
		"a file that is not an export": {chargeAndShip, "what?", []string{"damaged, or not an export", "byte 0"}},
		"one without events":           {chargeAndShip, `{"v":1,"events":[]}`, []string{"no events"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pattern := write(t, "order.json", c.content)
			mentions(t, failure(t, func(ft turnstiletest.T) { turnstiletest.Replay(ft, flow(c.code), pattern) }), append(c.want, "order.json")...)
		})
	}
}

func TestReplayOfNothingFails(t *testing.T) {
	t.Parallel()
	mentions(t, failure(t, func(ft turnstiletest.T) { turnstiletest.Replay(ft, flow(chargeAndShip), "testdata/none/*.json") }), "no file matches")
	mentions(t, failure(t, func(ft turnstiletest.T) { turnstiletest.Replay(ft, flow(chargeAndShip), "[") }), "pattern")
	mentions(t, failure(t, func(ft turnstiletest.T) { turnstiletest.Replay(ft, nil, "*.json") }), "NewApp")
	mentions(t, failure(t, func(ft turnstiletest.T) { turnstiletest.Replay(ft, turnstile.NewApp(charge.Implement(nil)), "*.json") }), "no implementation")
}

func TestReplayDecodesHistoriesWithItsCodecs(t *testing.T) {
	t.Parallel()
	gz, err := codec.NewSet(gzip.New())
	if err != nil {
		t.Fatal(err)
	}
	plain, err := history.DecodeExport([]byte(exported(t, nil)))
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := gz.EncodeTurns([]store.Turn{{Instance: plain.Instance, ExecutionID: 1, Events: plain.Events}})
	if err != nil {
		t.Fatal(err)
	}
	plain.Events = encoded[0].Events
	pattern := write(t, "order.json", string(history.EncodeExport(plain)))
	turnstiletest.Replay(t, flow(chargeAndShip), pattern, turnstiletest.WithCodecs(gz))
	mentions(t, failure(t, func(ft turnstiletest.T) { turnstiletest.Replay(ft, flow(chargeAndShip), pattern) }), "turnstiletest.WithCodecs", "gzip")
}

func TestV04HistoriesFromBeforeAPatchAreGoldenFiles(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]func(turnstile.Context, int) (string, error){
		"charge and ship": chargeAndShip,
		"the same, patched": func(ctx turnstile.Context, n int) (string, error) {
			if turnstile.Patched(ctx, "check") {
				return "", errors.New("only new instances get here")
			}
			return chargeAndShip(ctx, n)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turnstiletest.Replay(t, flow(code), "testdata/order-*.json")
		})
	}
}

func TestAHistoryMatchesItsGoldenFile(t *testing.T) {
	t.Parallel()
	run := func(ft turnstiletest.T, n int) *turnstiletest.Run[string] {
		env := turnstiletest.New(ft, flow(chargeAndShip))
		turnstiletest.On(env, charge).Return("r-1", nil)
		turnstiletest.On(env, ship).Return("t-1", nil)
		run := turnstiletest.Start(env, fulfil, n, client.WithInstanceID("order-7"))
		if _, err := run.Wait(); err != nil {
			ft.Fatalf("%v", err)
		}
		return run
	}
	run(t, 7).AssertGolden("testdata/order-7.json")
	run(t, 7).AssertHistory("Started Act(Charge) Done←2 Timer(1h0m0s) Fired←4 Act(Ship) Done←6 Completed")
	if *update {
		return
	}
	mentions(t, failure(t, func(ft turnstiletest.T) { run(ft, 8).AssertGolden("testdata/order-7.json") }),
		"differs from testdata/order-7.json", "-   1 Started  Fulfil  7", "+   1 Started  Fulfil  8")
	mentions(t, failure(t, func(ft turnstiletest.T) { run(ft, 7).AssertGolden("testdata/none.json") }), "TURNSTILE_UPDATE=1")
	mentions(t, failure(t, func(ft turnstiletest.T) { run(ft, 7).AssertHistory("Started Act(Ship) Completed") }),
		"they differ from event 2 on: it is Act(Charge), want Act(Ship)")
}
