package views_test

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/history"
)

func TestAPlanShowsWhatIsKeptAndWhatStartsAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plan client.Redriven
		want []string
	}{
		"of one that failed in its first round": {client.Redriven{}, []string{"order-17 would run from the beginning and copy no event"}},
		"of one whose code alone failed": {client.Redriven{CopiedEvents: 1, Kept: 2}, []string{
			"order-17 would copy 1 event, and keep 2 results after it", "  no operation starts again: only the code runs again. If it fails as before, for example because a",
			"  saga has undone its steps, restart the instance, or give an earlier event with --from EVENT"}},
		"of one with work": {client.Redriven{CopiedEvents: 9, Kept: 1, Rescheduled: []client.RedrivenWork{
			{EventID: 3, Kind: history.ActivityScheduled, Name: "Charge\x1b[2J", Why: "failed"},
			{EventID: 4, Kind: history.SubOrchestrationScheduled, Name: "Ship", Instance: "order-17/ship", Why: "open"},
			{EventID: 5, Kind: history.ActivityScheduled, Name: "Pack", Why: "completed"},
			{EventID: 12, Kind: history.TimerCreated, Why: "forgotten"},
			{EventID: 13, Kind: history.SubOrchestrationScheduled, Name: "Ship", Instance: "parcel-17", Why: "taken"},
			{EventID: 14, Kind: history.ActivityScheduled, Name: "Approve", Why: "forgotten"},
		}}, []string{
			"order-17 would copy 9 events, and keep 1 result after them",
			"  3      activity Charge\ufffd[2J       failed: starts again",
			"  4      child order-17/ship       was open: starts again",
			"  5      activity Pack             completed: starts again, because --from names its completion",
			"  12     timer                     discarded: the code schedules it again",
			"  13     child parcel-17           discarded: the code starts it again, which fails (already_exists) unless it has UseExisting",
			"  14     activity Approve          discarded: the code schedules it again; a completion link that was sent for it has no effect"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			c.plan.Instance = "order-17"
			views.Plan(&out, &c.plan)
			if got, want := out.String(), strings.Join(c.want, "\n")+"\n"; got != want {
				t.Errorf("printed is\n%swant\n%s", got, want)
			}
		})
	}
}
