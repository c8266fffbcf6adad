package views_test

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/history"
)

func TestAPlanSaysWhatIsKeptAndWhatStartsAnew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plan client.Redriven
		want []string
	}{
		"of one that failed in its first round": {client.Redriven{}, []string{"order-17 would begin from the beginning: it failed in its first round"}},
		"of one whose code alone failed": {client.Redriven{TakenOver: 1, Kept: 2}, []string{
			"order-17 would take over 1 event, and keep 2 results behind it", "  nothing is started anew: only the code runs again. If that ends as before, because a saga has",
			"  undone its steps, rerun the instance, or name an earlier event: --from EVENT"}},
		"of one with work": {client.Redriven{TakenOver: 9, Kept: 1, Again: []client.RedrivenWork{
			{EventID: 3, Kind: history.ActivityScheduled, Name: "Charge\x1b[2J", Why: "failed"},
			{EventID: 4, Kind: history.SubOrchestrationScheduled, Name: "Ship", Instance: "order-17/ship", Why: "open"},
			{EventID: 5, Kind: history.ActivityScheduled, Name: "Pack", Why: "completed"},
			{EventID: 12, Kind: history.TimerCreated, Why: "forgotten"},
			{EventID: 13, Kind: history.SubOrchestrationScheduled, Name: "Ship", Instance: "parcel-17", Why: "taken"},
			{EventID: 14, Kind: history.ActivityScheduled, Name: "Approve", Why: "forgotten"},
		}}, []string{
			"order-17 would take over 9 events, and keep 1 result behind them",
			"  3      activity Charge\ufffd[2J       had failed: starts anew",
			"  4      child order-17/ship       was open: starts anew",
			"  5      activity Pack             had completed: starts anew, because --from names its completion",
			"  12     timer                     forgotten: the code asks for it again",
			"  13     child parcel-17           forgotten: the code asks for it again, and fails (already_exists) unless it has UseExisting",
			"  14     activity Approve          forgotten: the code asks for it again, and a link that was sent for it completes nothing"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			views.Plan(&out, "order-17", &c.plan)
			if got, want := out.String(), strings.Join(c.want, "\n")+"\n"; got != want {
				t.Errorf("printed is\n%swant\n%s", got, want)
			}
		})
	}
}
