package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

func at(d time.Duration) int64 { return epoch.Add(d).UnixMilli() }

// put writes an instance with its history.
func (b *bench) put(r store.Record, events ...history.Event) {
	b.t.Helper()
	r.ExecutionID, r.FirstExecution = max(r.ExecutionID, 1), 1
	if r.UpdatedAt.IsZero() {
		r.UpdatedAt = r.CreatedAt
	}
	for i := range events {
		events[i].EventID = int64(i + 1)
	}
	change := &store.RecordChange{Create: &r, UpdatedAt: r.UpdatedAt}
	if len(events) == 0 {
		events = []history.Event{{EventID: 1, Kind: history.OrchestrationStarted, Name: r.Name, Version: r.Version, AtMS: r.CreatedAt.UnixMilli(), Start: &history.Start{ExecutionID: 1}}}
	}
	err := b.store.Commit(b.t.Context(), store.Commit{Record: change, Turns: []store.Turn{
		{Instance: r.Instance, ExecutionID: r.ExecutionID, Token: "t", Events: events},
	}})
	if err != nil {
		b.t.Fatal(err)
	}
}

const secret = "5ec4e75ec4e75ec4e75ec4e75ec4e700"

// sampled has an instance of every sort.
func sampled(t *testing.T) *bench {
	b := newBench(t)
	order := json.RawMessage(`{"id": "order-1",  "lines": [{"sku": "tea", "quantity": 2, "price": 450}], "note": "leave it at the door, please"}`)
	b.put(store.Record{
		Instance: "order-1", Name: "Fulfil", Version: "1.2", Status: store.StatusCompleted, StartID: "s-1",
		CreatedAt: epoch.Add(-time.Hour), UpdatedAt: epoch.Add(-50 * time.Minute), EndedAt: epoch.Add(-50 * time.Minute),
		Output: []byte(`{"parcel":"P-9"}`), States: history.EncodeStates([]history.State{{Name: history.ListedState, Value: []byte(`"shipped"`)}}),
		SearchAttributes: history.SearchAttributes{"customer": history.SearchTextOf("ada"), "total": history.SearchNumberOf(99.5), "due": history.SearchTimeOf(epoch)},
	},
		history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", Version: "1.2", AtMS: at(-time.Hour), Payload: order,
			Start: &history.Start{ExecutionID: 1, StartID: "s-1", Secret: secret}},
		history.Event{Kind: history.ActivityScheduled, Name: "Reserve", AtMS: at(-time.Hour), Payload: []byte(`"tea"`), Retry: &history.Retry{MaxAttempts: 5}},
		history.Event{Kind: history.ActivityScheduled, Name: "Charge", AtMS: at(-time.Hour), Payload: []byte(`900`)},
		history.Event{Kind: history.ActivityScheduled, Name: "Score", AtMS: at(-time.Hour), Inline: true},
		history.Event{Kind: history.ActivityCompleted, SourceEventID: 3, AtMS: at(-time.Hour + 184*time.Millisecond), Payload: []byte(`{"receipt":"R-1"}`)},
		history.Event{Kind: history.ActivityFailed, SourceEventID: 2, AtMS: at(-time.Hour + 5*time.Second), Failure: &history.Failure{Kind: history.FailureApplication, Message: "sold\nout \x1b[2J", Attempt: 5}},
		history.Event{Kind: history.TimerCreated, AtMS: at(-time.Hour + 5*time.Second), DurationMS: 300_000, FireAtMS: at(-55*time.Minute + 5*time.Second)},
		history.Event{Kind: history.ExternalSubscribed, Name: "approved", AtMS: at(-time.Hour + 5*time.Second)},
		history.Event{Kind: history.ExternalEvent, Name: "approved", AtMS: at(-time.Hour + 75*time.Second), Payload: []byte(`{"by":"ada"}`)},
		history.Event{Kind: history.SystemCall, Op: history.OpNow, AtMS: at(-time.Hour + 75*time.Second), Payload: []byte(`"2030-01-01T11:01:15Z"`)},
		history.Event{Kind: history.SubOrchestrationScheduled, Name: "Ship", Instance: "order-1-ship", AtMS: at(-time.Hour + 75*time.Second), Payload: []byte(`"order-1"`)},
		history.Event{Kind: history.OrchestrationChained, Name: "Survey", Instance: "survey-1", AtMS: at(-time.Hour + 75*time.Second)},
		history.Event{Kind: history.TimerFired, SourceEventID: 7, AtMS: at(-55*time.Minute + 5*time.Second), FireAtMS: at(-55*time.Minute + 5*time.Second)},
		history.Event{Kind: history.SubOrchestrationCompleted, SourceEventID: 11, AtMS: at(-50 * time.Minute), Payload: []byte(`{"parcel":"P-9"}`)},
		history.Event{Kind: history.OrchestrationCompleted, AtMS: at(-50 * time.Minute), Payload: []byte(`{"parcel":"P-9"}`)},
	)
	b.put(store.Record{
		Instance: "order-2", Name: "Fulfil", Version: "1.2", Status: store.StatusStuck, StartID: "s-2",
		CreatedAt: epoch.Add(-30 * time.Minute), UpdatedAt: epoch.Add(-20 * time.Minute),
		Problem: &store.Problem{Kind: "panic", Message: "panic: index out of range [3] with length 2", EventID: 2, SinceMS: at(-29 * time.Minute), Tries: 4,
			Stack: "shop.fulfil(...)\n\t/app/fulfil.go:41"},
	},
		history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", Version: "1.2", AtMS: at(-30 * time.Minute), Start: &history.Start{ExecutionID: 1, Secret: secret}},
		history.Event{Kind: history.OrchestrationCancelRequested, Reason: "customer called", AtMS: at(-20 * time.Minute)},
	)
	b.put(store.Record{
		Instance: "order-3", Name: "Fulfil", Status: store.StatusFailed, CreatedAt: epoch.Add(-26 * time.Hour), EndedAt: epoch.Add(-26*time.Hour + 1500*time.Millisecond),
		Failure: &history.Failure{Kind: history.FailureApplication, Source: "Charge", Message: "card declined", Attempt: 3, Code: "declined", Details: []byte(`{"bank":"x"}`)},
		Parent:  &history.Parent{Instance: "batch", ExecutionID: 2, EventID: 7, Token: "secret-token"},
	})
	b.put(store.Record{Instance: "survey 1", Name: "Survey", Status: store.StatusRunning, CreatedAt: epoch.Add(-3 * time.Second)})
	b.put(store.Record{
		Instance: "order-4", Name: "Fulfil", Status: store.StatusCorrupt, CreatedAt: epoch.Add(-10 * 24 * time.Hour),
		Problem: &store.Problem{Kind: store.ProblemCorrupt, EventID: 5, Message: `history of instance "order-4" execution 1 is corrupt at event 5: source_event_id 9 names no earlier event`},
	})
	return b
}

func TestHistoryIsReadable(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	golden(t, "history-rows.txt", b.ok("history", "order-1", "--all"))
	b.columns, b.env["NO_COLOR"] = 150, "1"
	golden(t, "history.txt", b.ok("history", "order-1"))
	golden(t, "history-narrow.txt", b.ok("history", "--width", "20", "order-1"))
	golden(t, "history-stuck.txt", b.ok("history", "order-2"))
}

// A program that reads the rows finds each event in a line, with as many fields.
func TestHistoryElsewhereThanAtATerminalIsRows(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	for _, args := range [][]string{{"history", "order-1"}, {"watch", "order-1"}} {
		out := b.ok(args...)
		for line := range strings.Lines(out) {
			if fields := strings.Split(line, "\t"); len(fields) != 7 || fields[0] != "1" {
				t.Errorf("turnstile %s prints %q, with %d fields", strings.Join(args, " "), line, len(fields))
			}
		}
		if !strings.Contains(out, `"note":"leave it at the door, please"}`) {
			t.Errorf("turnstile %s cuts a payload:\n%s", strings.Join(args, " "), out)
		}
	}
}

func TestHistoryShowsAllOfAPayloadIfAsked(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	if out := b.ok("history", "order-1", "--width", "0"); !strings.Contains(out, `"note":"leave it at the door, please"}`) {
		t.Errorf("the payload is cut:\n%s", out)
	}
}

func TestO07HistoryExportsForReplayWithoutTheSecret(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	out := b.ok("history", "order-1", "--export")
	x, err := history.DecodeExport([]byte(out))
	if err != nil {
		t.Fatal(err)
	}
	if x.Instance != "order-1" || x.ExecutionID != 1 || len(x.Events) != 15 {
		t.Errorf("exported is execution %d of %q with %d events", x.ExecutionID, x.Instance, len(x.Events))
	}
	for _, shown := range []string{out, b.ok("history", "order-1"), b.ok("describe", "order-3"), b.ok("describe", "order-3", "--output", "json")} {
		if strings.Contains(shown, secret) || strings.Contains(shown, "secret-token") {
			t.Errorf("what proves something is shown:\n%s", shown)
		}
	}
}

func TestHistoryOfAnExecutionThatNeverWas(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	b.fails(exitNotFound, []string{"no history of execution 3", "1 to 1"}, "history", "order-1", "--execution", "3")
	for _, command := range []string{"history", "replay"} {
		b.fails(exitUsage, []string{"--execution -1", "numbered from 1"}, command, "order-1", "--execution", "-1")
		b.fails(exitUsage, []string{"give --execution or --all, not both"}, command, "order-1", "--execution", "1", "--all")
	}
}

func TestO01Describe(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	for _, instance := range []string{"order-1", "order-2", "order-3", "order-4"} {
		golden(t, "describe-"+instance+".txt", b.ok("describe", instance))
		golden(t, "describe-"+instance+".json", b.ok("--output=json", "describe", instance))
	}
	b.fails(exitNotFound, []string{`no instance "order-9"`}, "describe", "order-9")
}

func TestO05ListShowsTheStuckWithTheirReasons(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	golden(t, "list.txt", b.ok("list"))
	golden(t, "list-stuck.txt", b.ok("list", "--status", "stuck"))
	golden(t, "list.json", b.ok("list", "--status", "failed", "--output", "json"))
	if got := b.ok("list", "--status", "stuck", "--ids"); got != "order-2\n" {
		t.Errorf("the ids are %q", got)
	}
	if got := b.ok("list", "--where", `customer = 'ada' and total > 99 and due <= 2030-01-01T12:00:00Z`, "--ids"); got != "order-1\n" {
		t.Errorf("found are %q", got)
	}
	if r := b.run("list", "--where", `customer = "bob"`); r.status != exitOK || !strings.Contains(r.err, "no instances") {
		t.Errorf("nobody found is %+v", r)
	}
	if got := b.ok("list", "--prefix", "survey", "--ids"); got != "survey 1\n" {
		t.Errorf("the ids that begin with survey are %q", got)
	}
	if got := b.ok("list", "--prefix", "order-", "--count", "--status", "stuck"); got != "stuck\t1\n" {
		t.Errorf("counted are %q", got)
	}
	b.fails(exitUsage, []string{"--where", "expected one of = < <= > >= ^="}, "list", "--where", "customer")
	if r := b.run("list", "--name", "Nothing"); r.status != exitOK || r.out != "" || !strings.Contains(r.err, "no instances") {
		t.Errorf("an empty list is %+v", r)
	}
	if got := b.ok("list", "--name", "Nothing", "--output", "json"); got != "{\n  \"instances\": []\n}\n" {
		t.Errorf("an empty list in JSON is %q", got)
	}
}

func TestS13ListByTime(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	for _, c := range []struct{ since, until, want string }{
		{"31m", "", "survey 1 order-2"},
		{"", "2d", "order-4"},
		{"2029-12-31", "2030-01-01", "order-3"},
		{"yesterday", "today", "order-3"},
		{"today", "31m", "order-1"},
		{"2030-01-01T11:00:00Z", "2030-01-01T11:30:00Z", "order-1"},
	} {
		got := strings.Fields(strings.ReplaceAll(b.ok("list", "--ids", "--since", c.since, "--until", c.until), "survey 1", "survey_1"))
		if s := strings.ReplaceAll(strings.Join(got, " "), "survey_1", "survey 1"); s != c.want {
			t.Errorf("since %q until %q: %q, want %q", c.since, c.until, s, c.want)
		}
	}
	for _, wrong := range []string{"tomorrow", "-5m", "-3d", "99999999d"} {
		b.fails(exitUsage, []string{"must be 90m", "24h"}, "list", "--since="+wrong)
		b.fails(exitUsage, []string{"must be 90m", "24h"}, "list", "--ended-until="+wrong)
	}
	b.fails(exitUsage, []string{"must be before"}, "list", "--ended-since", "1h", "--ended-until", "2h")
}

func TestS13TheNextPageIsACommandThatCanBePasted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const n = 7
	for i := range n {
		b.put(store.Record{Instance: fmt.Sprintf("i-%d", i), Name: "It's", Status: store.StatusCompleted, CreatedAt: epoch.Add(-time.Duration(i) * time.Minute), EndedAt: epoch.Add(-time.Duration(i) * time.Second)})
	}
	b.put(store.Record{Instance: "i-running", Name: "It's", Status: store.StatusRunning, CreatedAt: epoch.Add(-time.Minute)})
	args := []string{"--stack", "a b", "list", "--ids", "--limit", "3", "--since", "1h", "--ended-since", "2m", "--ended-until", "0s", "--name", "It's", "--prefix", "i-"}
	var seen []string
	for page := 0; ; page++ {
		r := b.run(args...)
		if r.status != exitOK || page > n {
			t.Fatalf("page %d: %+v", page, r)
		}
		seen = append(seen, strings.Fields(r.out)...)
		next, more := strings.CutPrefix(strings.TrimSpace(r.err), "more: turnstile ")
		if !more {
			break
		}
		// Time goes on between two pages; the token belongs to the times as
		// they were.
		b.clock.now = b.clock.now.Add(time.Second)
		args = words(next)
	}
	if got := strings.Join(seen, " "); got != "i-1 i-2 i-3 i-4 i-5 i-6" { // i-0 ends at this moment.
		t.Errorf("listed were %s", got)
	}
	if got := b.ok("list", "--ids", "--limit", "3", "--all"); len(strings.Fields(got)) != n+1 {
		t.Errorf("--all lists %q", got)
	}
	b.fails(exitFailed, []string{"page token", "without changes"}, append(args, "--status", "failed")...)
}

// words splits a command line as a shell does, as far as plain.ShellWord quotes.
func words(line string) []string {
	var out []string
	var word strings.Builder
	quoted, escaped := false, false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && !quoted:
			escaped = true
		case r == '\'':
			quoted = !quoted
		case r == ' ' && !quoted:
			out = append(out, word.String())
			word.Reset()
		default:
			word.WriteRune(r)
		}
	}
	return append(out, word.String())
}

func TestListRefusesWhatItCannotBeAskedFor(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fails(exitUsage, []string{`--status "gone"`, "stuck", "corrupt"}, "list", "--status", "gone")
	b.fails(exitUsage, []string{"--limit 0", "1000"}, "list", "--limit", "0")
	b.fails(exitUsage, []string{"no operands", `"x"`}, "list", "x")
}
