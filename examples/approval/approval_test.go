package main

import (
	"errors"
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

var request = Request{What: "a desk", Amount: 300, Approvers: []string{"Bea", "Carl"}, Reminders: 1}

const histories = "../../testdata/histories"

// open returns the application, and an office that logs to the test.
func open(t *testing.T) (*turnstiletest.Env, *office) {
	t.Helper()
	desk := newOffice(t.Logf)
	env := turnstiletest.New(t, turnstile.NewApp(Approve.Implement(approve), desk.activities()))
	t.Cleanup(func() { kept.Sample(t, env.Client(), histories, "approval") })
	return env, desk
}

func TestSomebodyAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		person string
		after  time.Duration
		answer Decision
		want   Result
	}{
		"the first approves at once":             {"Bea", time.Minute, Decision{Approved: true}, Result{Outcome: "approved", By: "Bea"}},
		"the first refuses behind the reminder":  {"Bea", 30 * time.Hour, Decision{Reason: "no"}, Result{Outcome: "refused", By: "Bea", Reason: "no"}},
		"the second approves, the first did not": {"Carl", 49 * time.Hour, Decision{Approved: true}, Result{Outcome: "approved", By: "Carl"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, desk := open(t)
			run := turnstiletest.Start(env, Approve, request)
			env.After(c.after, func() {
				if err := desk.answer(t.Context(), env.Client(), c.person, c.answer); err != nil {
					t.Error(err)
				}
			})
			if got, err := run.Wait(); err != nil || got != c.want {
				t.Errorf("the result is %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}

func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	env, desk := open(t)
	begun := env.Now()
	run := turnstiletest.Start(env, Approve, request)
	if got, err := run.Wait(); err != nil || got != (Result{Outcome: "expired"}) {
		t.Errorf("the result is %+v, %v", got, err)
	}
	if took := env.Now().Sub(begun); took != 4*day {
		t.Errorf("it took %s, want two days for each of two", took)
	}
	// A late answer gets an error that says what happened to the question.
	err := client.Complete(t.Context(), env.Client(), Ask, desk.tokens["Bea"], Decision{Approved: true})
	if late, ok := errors.AsType[*client.NotPendingError](err); !ok || !late.Cancelled {
		t.Errorf("a late answer is told %v", err)
	}
}

func TestACancelledRequestAsksNobodyElse(t *testing.T) {
	t.Parallel()
	env, desk := open(t)
	run := turnstiletest.Start(env, Approve, request)
	env.After(time.Hour, func() { run.Cancel("not needed") })
	if _, err := run.Wait(); !errors.Is(err, turnstile.ErrCancelled) {
		t.Errorf("it ended with %v", err)
	}
	if _, asked := desk.tokens["Carl"]; asked {
		t.Error("Carl was asked")
	}
}

func TestACrashAnywhereChangesNothing(t *testing.T) {
	t.Parallel()
	desk := newOffice(t.Logf)
	turnstiletest.CrashTest(t, turnstile.NewApp(Approve.Implement(approve), desk.activities()), func(env *turnstiletest.Env) {
		run := turnstiletest.Start(env, Approve, request)
		env.After(50*time.Hour, func() {
			if err := desk.answer(t.Context(), env.Client(), "Carl", Decision{Approved: true}); err != nil {
				t.Error(err)
			}
		})
		run.Wait()
	})
}

// The code replays the histories that earlier builds of this application have written: see
// docs/internal/testing.md. With TURNSTILE_KEEP=BUILD the other tests write their histories.
func TestV06HistoriesOfEarlierBuildsReplay(t *testing.T) {
	t.Parallel()
	turnstiletest.Replay(t, turnstile.NewApp(Approve.Implement(approve)), histories+"/*/approval/*.json")
}

func TestTheStory(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if status := sample.Run(t.Context(), nil, &out); status != 0 {
		t.Fatalf("exit status %d\n%s", status, out.String())
	}
	for _, want := range []string{
		"Bea is asked", "Bea is reminded, for the 2. time", "day   4  Jan 04 09:00  Carl is asked",
		"Bea is told that it is too late: the orchestration cancelled it", "request-17 is approved by Carl",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the story lacks %q:\n%s", want, out.String())
		}
	}
}
