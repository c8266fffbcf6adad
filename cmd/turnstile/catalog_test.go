package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/wire"
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
	type parcel struct {
		Carrier string `json:"carrier"`
	}
	var err error
	b.made, err = client.New(client.Config{Store: b.store, Queue: b.queue(deadletter.Orchestrator), Clock: b.clock, App: turnstile.NewApp(
		turnstile.NewOrchestration[order, string]("Fulfil").Implement(func(turnstile.Context, order) (string, error) { return "", nil }),
		turnstile.NewOrchestration[order, string]("Fulfil").With(turnstile.Version("2")).Implement(func(turnstile.Context, order) (string, error) { return "", nil }),
		turnstile.NewOrchestration[string, string]("Forget").Implement(func(turnstile.Context, string) (string, error) { return "", nil }),
		turnstile.NewActivity[string, parcel]("Ship").Implement(func(context.Context, string) (parcel, error) { return parcel{}, nil }),
		turnstile.NewEvent[bool]("approved"),
	)})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What the code cannot take is sent only with --anyway.
func TestWhatTheCodeCannotTakeIsRefused(t *testing.T) {
	t.Parallel()
	const odd = `totl is a field that main.order does not have; did you mean "total"?`
	for _, c := range []struct {
		args  []string
		wrong []string
	}{
		{[]string{"start", "Fulfil", "--input", `{"id":"a"}`}, nil},
		{[]string{"start", "Fulfil", "--version", "2", "--input", `{"id":"a"}`}, nil},
		{[]string{"start", "Fulfl"}, []string{`no build has orchestration Fulfl: the instance would wait until you deploy one that does; did you mean "Fulfil"?`}},
		{[]string{"start", "Fulfil", "--version", "3"}, []string{"no build has orchestration Fulfil 3: the instance would wait until you deploy one that does"}},
		{[]string{"start", "Fulfil", "--input", `{"id":7,"totl":1}`}, []string{"id is a number, but the code expects a string (string)", odd}},
		{[]string{"start", "Forget", "--input", `"a"`, "--event", "approved=7"}, []string{"event approved: it is a number, but the code expects true or false (bool)"}},
		{[]string{"start", "Forget", "--input", `"a"`, "--event", "approvd=true"}, []string{`no build declares event "approvd"; did you mean "approved"?`}},
		{[]string{"restart", "order-1", "--input", `{"id":"a","totl":1}`}, []string{odd}},
		{[]string{"restart", "order-1", "--input", `{"id":"a"}`}, nil},
		{[]string{"schedule", "create", "nightly", "--every", "1h", "--timeout", "1ms", "--starts", "Fulfil", "--input", `{"id":"a","totl":1}`}, []string{odd}},
		{[]string{"schedule", "create", "daily", "--every", "1h", "--timeout", "1ms", "--starts", "Fulfl"}, []string{`no build has orchestration Fulfl: the instance would wait until you deploy one that does; did you mean "Fulfil"?`}},
		{[]string{"raise", "order-2", "approved", "--data", "true"}, nil},
		{[]string{"raise", "order-2", "approved", "--data", "7"}, []string{`event "approved"`}},
		{[]string{"raise", "order-2", "approvd", "--data", "true"}, []string{`instance "order-2" is not waiting for event "approvd"`, `; did you mean "approved"?`}},
		{[]string{"raise", "order-2", "canceled", "--data", "true"}, []string{`instance "order-2" is not waiting for event "canceled"`, `no build declares event "canceled"`}},
		{[]string{"raise", "order-3", "approvd", "--early"}, []string{`no build declares event "approvd"; did you mean "approved"?`}},
		{[]string{"raise", "order-3", "approved", "--early", "--data", "7"}, []string{"event approved: it is a number, but the code expects true or false (bool)"}},
		// The code waits for it under another name than it declares, and may get it.
		{[]string{"raise", "order-2", "undeclared"}, nil},
		{[]string{"complete", completionToken("order-2", 1, 4), "--result", `{"carrier":"post"}`}, nil},
		{[]string{"complete", completionToken("order-2", 1, 4), "--result", `{"carier":"post"}`}, []string{`result of activity Ship: carier is a field that main.parcel does not have; did you mean "carrier"?`}},
	} {
		b := knowing(t)
		b.put(store.Record{Instance: "order-1", Name: "Fulfil", Status: store.StatusFailed, CreatedAt: epoch})
		b.put(store.Record{Instance: "order-2", Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch},
			history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", Start: &history.Start{ExecutionID: 1}},
			history.Event{Kind: history.ExternalSubscribed, Name: "approved"}, history.Event{Kind: history.ExternalSubscribed, Name: "undeclared"},
			history.Event{Kind: history.ActivityScheduled, Name: "Ship"})
		refused := b.run(c.args...)
		switch {
		case len(c.wrong) == 0:
			if refused.status != exitOK || strings.Contains(refused.err, "warning: ") {
				t.Errorf("%q: %d\n%s", c.args, refused.status, refused.err)
			}
			continue
		case refused.status != exitFailed || !strings.Contains(refused.err, "nothing was sent") || !strings.Contains(refused.err, "--anyway"):
			t.Errorf("%q is not refused: %d\n%s", c.args, refused.status, refused.err)
		}
		if sent := b.queue(deadletter.Orchestrator).Peek(); len(sent) > 0 {
			t.Errorf("%q is refused, and sent %+v", c.args, sent)
		}
		sent := b.run(append(c.args, "--anyway")...)
		// Nothing takes what is sent: a schedule that is to be created is waited for in vain.
		if done := sent.status == exitOK || sent.status == exitTimeout && c.args[0] == "schedule"; !done || len(b.queue(deadletter.Orchestrator).Peek()) != 1 {
			t.Errorf("%q is not sent with --anyway: %d\n%s", c.args, sent.status, sent.err)
		}
		for _, wrong := range c.wrong {
			if !strings.Contains(refused.err, wrong) {
				t.Errorf("%q says\n%s\nwithout %s", c.args, refused.err, wrong)
			}
			if !strings.Contains(sent.err, "warning: ") || !strings.Contains(sent.err, wrong) {
				t.Errorf("%q warns\n%s\nwithout %s", c.args, sent.err, wrong)
			}
		}
	}
}

// completionToken completes an activity.
func completionToken(instance string, execution, event int64) string {
	return wire.ActivityToken{Instance: instance, ExecutionID: execution, EventID: event, Token: "t"}.String()
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
