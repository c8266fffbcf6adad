package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/store"
)

// knowing is a bench whose client knows an application.
func knowing(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	type order struct {
		ID    string `json:"id"`
		Total int    `json:"total,omitempty"`
	}
	var err error
	b.made, err = client.New(client.Config{Store: b.store, Queue: b.queue(deadletter.Orchestrator), Clock: b.clock, App: turnstile.NewApp(
		turnstile.NewOrchestration[order, string]("Fulfil").Implement(func(turnstile.Context, order) (string, error) { return "", nil }),
		turnstile.NewOrchestration[order, string]("Fulfil").With(turnstile.Version("2")).Implement(func(turnstile.Context, order) (string, error) { return "", nil }),
		turnstile.NewOrchestration[string, string]("Forget").Implement(func(turnstile.Context, string) (string, error) { return "", nil }),
		turnstile.NewEvent[bool]("approved"),
	)})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAStartOfWhatTheCodeCannotTakeIsSentWithAWarning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"Fulfil", "--input", `{"id":"a"}`}, ""},
		{[]string{"Fulfil", "--version", "2", "--input", `{"id":"a"}`}, ""},
		{[]string{"Fulfl"}, "warning: no build has orchestration Fulfl: the instance waits until one does; did you mean \"Fulfil\"?\n"},
		{[]string{"Fulfil", "--version", "3"}, "warning: no build has orchestration Fulfil 3: the instance waits until one does\n"},
		{[]string{"Fulfil", "--input", `{"id":7,"totl":1}`}, "warning: id is a number, and the code has a text (string)\nwarning: totl is a field that main.order does not have; did you mean \"total\"?\n"},
		{[]string{"Forget", "--input", `"a"`, "--event", "approved=7"}, "warning: event approved: it is a number, and the code has true or false (bool)\n"},
	} {
		r := knowing(t).run(append([]string{"start"}, c.args...)...)
		if r.status != exitOK || r.err != c.says || r.out == "" {
			t.Errorf("%q: %d\n%s\nwant\n%s", c.args, r.status, r.err, c.says)
		}
	}
}

// So are a rerun and a schedule.
func TestARerunAndAScheduleOfOddInputAreSentWithAWarning(t *testing.T) {
	t.Parallel()
	b := knowing(t)
	b.put(store.Record{Instance: "order-1", Name: "Fulfil", Status: store.StatusFailed, CreatedAt: epoch})
	const odd = "warning: totl is a field that main.order does not have; did you mean \"total\"?\n"
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"rerun", "order-1", "--input", `{"id":"a","totl":1}`}, odd},
		{[]string{"rerun", "order-1", "--input", `{"id":"a"}`}, ""},
		{[]string{"schedule", "create", "nightly", "--every", "1h", "--starts", "Fulfil", "--input", `{"id":"a","totl":1}`}, odd},
		{[]string{"schedule", "create", "daily", "--every", "1h", "--starts", "Fulfl"}, "warning: no build has orchestration Fulfl: the instance waits until one does; did you mean \"Fulfil\"?\n"},
	} {
		r := b.run(c.args...)
		if warned := strings.Join(slices.DeleteFunc(strings.SplitAfter(r.err, "\n"), func(l string) bool { return !strings.HasPrefix(l, "warning: ") }), ""); r.status != exitOK || warned != c.says {
			t.Errorf("%q: %d\n%s\nwant\n%s", c.args, r.status, r.err, c.says)
		}
	}
}

func TestAShellIsOfferedWhatTheCodeHas(t *testing.T) {
	t.Parallel()
	b := knowing(t)
	at := epoch.Add(-time.Hour)
	b.put(store.Record{Instance: "order-1", Name: "Fulfil", Status: store.StatusRunning, CreatedAt: at},
		history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", AtMS: at.UnixMilli(), Start: &history.Start{ExecutionID: 1}},
		history.Event{Kind: history.ExternalSubscribed, Name: "approved", AtMS: at.UnixMilli()},
		history.Event{Kind: history.ActivityScheduled, Name: "Charge", AtMS: at.UnixMilli()})
	for line, want := range map[string]string{
		"start F": "Forget|Fulfil", "start Fulfil ": "", "raise order-1 ": "approved", "raise order-1 x": "", "raise order-1 approved ": "", "raise ord": "order-1\tFulfil, running", "redrive --name Fo": "Forget", "schedule create x --starts Fu": "Fulfil",
	} {
		if got := strings.Join(b.offers(strings.Split(line, " ")...), "|"); got != want {
			t.Errorf("`turnstile %s` offers %q, want %q", line, got, want)
		}
	}
}
