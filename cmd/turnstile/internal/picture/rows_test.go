package picture_test

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/picture"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/internal/wire"
)

func TestAProgramGetsALineOfTenFieldsForEachRow(t *testing.T) {
	t.Parallel()
	at := time.Unix(100, 0).UTC()
	var out strings.Builder
	picture.Rows(&term.Screen{Writer: &out}, &api.Timeline{Rows: []api.TimelineRow{
		{Row: timeline.Row{ExecutionID: 1, EventID: 2, Kind: "activity", Name: "Charge", State: "failed", ScheduledAt: at, EndedAt: at.Add(1500 * time.Millisecond), Attempt: 3},
			Failure: &wire.Failure{Kind: "application", Message: "sold\nout\x1b[2J"}},
		{Row: timeline.Row{ExecutionID: 2, EventID: 4, Kind: "system", Op: "now", State: "open", ScheduledAt: at}},
	}})
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 3 || strings.Contains(out.String(), "\x1b") {
		t.Fatalf("printed is %q, want two lines without what steers a terminal", out.String())
	}
	failed, open := strings.Split(lines[0], "\t"), strings.Split(lines[1], "\t")
	if len(failed) != 10 || failed[6] != "1970-01-01T00:01:41.5Z" || failed[7] != "1.5s" || failed[8] != "3" || !strings.HasPrefix(failed[9], "application: sold") {
		t.Errorf("a row that failed is %q", failed)
	}
	if len(open) != 10 || open[3] != "now" || open[6] != "" || open[7] != "" {
		t.Errorf("the row of a system call that has not ended is %q", open)
	}
}
