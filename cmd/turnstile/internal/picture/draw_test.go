package picture_test

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/picture"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
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
			Executions: []api.TimelineExecution{{ExecutionID: 1, Name: "Fulfil", From: at, To: at.Add(time.Minute), End: "OrchestrationFailed", Failure: &wire.Failure{Kind: kind}}},
			Rows: []api.TimelineRow{
				{ExecutionID: 1, EventID: 2, Kind: "activity", Name: "Charge", State: "failed", ScheduledAt: at, EndedAt: at, Spans: []api.TimelineSpan{{Doing: "running"}},
					Failure: &wire.Failure{Kind: kind, Message: "sold out"}},
				{ExecutionID: 1, EventID: 3, Kind: "activity", Name: "Ask", State: "cancelled", ScheduledAt: at, EndedAt: at, Spans: []api.TimelineSpan{{Doing: "running"}},
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
