package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/timeline"
)

func TestJSONCannotSteerATerminal(t *testing.T) {
	t.Parallel()
	for name, print := range map[string]func(*cli) error{
		"indented": func(c *cli) error { return c.printJSON([]string{"\u009b2J\u202e"}) },
		"a line":   func(c *cli) error { return c.printLine([]string{"\u009b2J\u202e"}) },
	} {
		var out bytes.Buffer
		if err := print(&cli{out: &out}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(out.Bytes(), []byte(`"\u009b2J\u202e"`)) {
			t.Errorf("%s: %q, want both characters escaped", name, out.String())
		}
	}
}

// isThe holds that the JSON of a command is that of a type of the API, without a field more or less.
func isThe[T any](b *bench, line string) {
	b.t.Helper()
	text := b.ok(append(strings.Fields(line), "--output", "json")...)
	var v T
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		b.t.Errorf("turnstile %s does not print %T: %v\n%s", line, v, err, text)
	}
	var again bytes.Buffer
	if err := (&cli{out: &again}).printJSON(v); err != nil || again.String() != text {
		b.t.Errorf("turnstile %s prints\n%snot %T, which is\n%s%v", line, text, v, again.String(), err)
	}
}

func TestTheJSONOfACommandIsATypeOfTheAPI(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	isThe[api.InstanceList](b, "list")
	isThe[api.Instance](b, "describe order-2")
	isThe[api.Events](b, "history order-1")
	isThe[[]api.Events](b, "history order-1 --all")
	isThe[api.Timeline](b, "timeline order-1")
	isThe[[]api.Attempts](b, "attempts order-1")
	isThe[api.FailureList](b, "failures")
	isThe[api.Metrics](b, "metrics")
	isThe[timeline.Bill](b, "cost order-1")
	isThe[api.Difference](b, "diff order-1 order-3")
	isThe[api.Instance](b, "wait order-1")
	isThe[client.Started](b, "start Fulfil --instance new")
	isThe[api.Sent](b, "raise order-2 approved")
	isThe[api.Batch](b, "wake --status stuck --dry-run")
	isThe[[]client.Redriven](b, "redrive order-1 --from 2 --dry-run")

	b = givenUp(t)
	isThe[api.DeadLetters](b, "dead-letter list")
	isThe[api.DeadLetter](b, "dead-letter show dead-2")
	isThe[api.RemovedDeadLetters](b, "dead-letter redrive --all --dry-run")
	isThe[api.RemovedDeadLetters](b, "dead-letter delete dead-2")

	b = limited(t)
	isThe[api.LimitList](b, "limit list")
	isThe[api.LimitList](b, "limit show stripe")
	isThe[client.Limit](b, "limit set stripe 5")
	isThe[client.Limit](b, "limit reset stripe")

	b = newBench(t)
	sleeping(b)
	isThe[api.Sent](b, "fire sleeps 2 --dry-run")
	isThe[api.Sent](b, "fire sleeps 2")

	b, env := scheduled(t)
	b.ok("schedule", "create", "nightly", "--every", "1h", "--starts", "Report")
	env.Advance(2 * time.Hour)
	isThe[api.ScheduleList](b, "schedule list")
	isThe[api.Schedule](b, "schedule show nightly")
	isThe[api.ScheduleAsked](b, "schedule pause nightly")
	isThe[api.ScheduleAsked](b, "schedule trigger nightly")
	isThe[api.ScheduleAsked](b, "schedule delete nightly")
}
