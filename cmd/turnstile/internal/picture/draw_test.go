package picture_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/picture"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// An execution fails; "application" is only where the error came from.
func TestAPictureSaysWhatFailedAndWhyARowWasCancelled(t *testing.T) {
	t.Parallel()
	at := time.Unix(100, 0).UTC()
	for kind, head := range map[string]string{"application": "Fulfil  failed\n", "timeout": "Fulfil  failed: timeout\n"} {
		var out strings.Builder
		screen := term.Fixed(&out, 100, term.ColoursNever, func(string) string { return "" })
		picture.Draw(&screen, &api.Timeline{
			Now:        at.Add(time.Hour),
			Executions: []api.TimelineExecution{{Execution: timeline.Execution{ExecutionID: 1, Name: "Fulfil", From: at, To: at.Add(time.Minute)}, End: "OrchestrationFailed", Failure: &wire.Failure{Kind: kind}}},
			Rows: []api.TimelineRow{
				{Row: timeline.Row{ExecutionID: 1, EventID: 2, Kind: "activity", Name: "Charge", State: "failed", ScheduledAt: at, EndedAt: at, Spans: []timeline.Span{{Doing: "running"}}},
					Failure: &wire.Failure{Kind: kind, Message: "sold out"}},
				{Row: timeline.Row{ExecutionID: 1, EventID: 3, Kind: "activity", Name: "Ask", State: "cancelled", ScheduledAt: at, EndedAt: at, Spans: []timeline.Span{{Doing: "running"}}},
					Text: "cancelled by the code after event 4", Failure: &wire.Failure{Kind: "application", Message: "context canceled"}},
			},
		}, picture.Options{Span: time.Duration.String})
		text := out.String()
		for _, want := range []string{head, "sold out", "cancelled by the code after event 4"} {
			if !strings.Contains(text, want) {
				t.Errorf("the picture does not say %q:\n%s", want, text)
			}
		}
		if strings.Contains(text, "application") || strings.Contains(text, "context canceled") {
			t.Errorf("the picture says what tells nobody anything:\n%s", text)
		}
	}
}

// What the code calls an operation stands before what it is.
func TestARowHasItsLabelFirst(t *testing.T) {
	t.Parallel()
	at := time.Unix(100, 0).UTC()
	tl := api.Timeline{Now: at.Add(time.Hour), Executions: []api.TimelineExecution{{Execution: timeline.Execution{ExecutionID: 1, Name: "Fulfil", From: at}}},
		Groups: []api.TimelineGroup{{Group: timeline.Group{ExecutionID: 1, EventID: 4, Kind: "activity", Name: "Refund", Label: "refunds", States: map[timeline.State]int{"failed": 1, "done": 7}}, Rows: 8}},
		Rows: []api.TimelineRow{
			{Row: timeline.Row{ExecutionID: 1, EventID: 2, Kind: "timer", Label: "grace \x1b[2Jperiod", State: "open", ScheduledAt: at, DueAt: at.Add(72 * time.Hour), Spans: []timeline.Span{{Doing: "waiting"}}}},
			{Row: timeline.Row{ExecutionID: 1, EventID: 3, Kind: "activity", Name: "Charge", Label: "stock / shelf", State: "done", ScheduledAt: at, EndedAt: at}},
		}}
	for i := range 8 {
		r := api.TimelineRow{Row: timeline.Row{ExecutionID: 1, EventID: int64(4 + i), Kind: "activity", Name: "Refund", Label: fmt.Sprint("refunds / order ", i), State: "done", ScheduledAt: at, EndedAt: at.Add(time.Second), Group: 4, Member: fmt.Sprint("order ", i)}}
		if i == 3 {
			r.State, r.Failure = "failed", &wire.Failure{Kind: "application", Message: "declined"}
		}
		tl.Rows = append(tl.Rows, r)
	}
	for _, all := range []bool{false, true} {
		var out strings.Builder
		screen := term.Fixed(&out, 100, term.ColoursNever, func(string) string { return "" })
		picture.Draw(&screen, &tl, picture.Options{Span: time.Duration.String, All: all})
		text := out.String()
		wanted := []string{"2 grace �[2Jperiod, timer 72h0m0s ", "3 stock / shelf, Charge "}
		if all {
			wanted = append(wanted, "7 refunds / order 3, Refund ")
		} else {
			wanted = append(wanted, "4 refunds, 8 × Refund ", "    7 Refund order 3 after 1s, failed: declined")
		}
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				t.Errorf("the picture does not say %q:\n%s", want, text)
			}
		}
	}
}

// A fan-out is one row, which says how its rows stand; those that failed are told by
// what tells them apart.
func TestAFanOutIsOneRow(t *testing.T) {
	t.Parallel()
	at := time.Unix(100, 0).UTC()
	tl := api.Timeline{Now: at.Add(time.Hour), Executions: []api.TimelineExecution{{Execution: timeline.Execution{ExecutionID: 1, Name: "Fan", From: at, To: at.Add(time.Minute)}, End: "OrchestrationCompleted"}},
		Groups: []api.TimelineGroup{{Rows: 20, Group: timeline.Group{ExecutionID: 1, EventID: 2, Kind: "activity", Name: "Charge", States: map[timeline.State]int{"failed": 2, "done": 18}, By: "order",
			Took: timeline.Spread{Of: 20, MinMS: 1000, MedianMS: 10000, P90MS: 18000, MaxMS: 20000}}}}}
	for i := range 20 {
		r := api.TimelineRow{Row: timeline.Row{ExecutionID: 1, EventID: int64(2 + i), Kind: "activity", Name: "Charge", State: "done", ScheduledAt: at, EndedAt: at.Add(time.Duration(i+1) * time.Second),
			Spans: []timeline.Span{{Doing: "running", To: at.Add(time.Duration(i+1) * time.Second)}}, Group: 2, Member: fmt.Sprint("o-", i)}}
		if i == 3 || i == 5 {
			r.State, r.Failure = "failed", &wire.Failure{Kind: "application", Message: "declined"}
		}
		tl.Rows = append(tl.Rows, r)
	}
	draw := func(all bool) string {
		var out strings.Builder
		screen := term.Fixed(&out, 100, term.ColoursNever, func(string) string { return "" })
		picture.Draw(&screen, &tl, picture.Options{Span: time.Duration.String, All: all})
		return out.String()
	}
	text := draw(false)
	for _, want := range []string{"2 20 × Charge", "█", "2 failed, 18 done; duration 1s to 20s", "by order", "7 Charge o-5 after 6s, failed: declined\n    5 Charge o-3", "--all"} {
		if !strings.Contains(text, want) {
			t.Errorf("the picture does not say %q:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "\n"); n > 12 {
		t.Errorf("%d lines:\n%s", n, text)
	}
	if n := strings.Count(draw(true), "\n"); n < 24 {
		t.Errorf("all rows are %d lines", n)
	}
}
