package views_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

func describe(d *client.Description, w client.Pending) string {
	var out strings.Builder
	views.Instance(&out, noon, d, &w, nil, nil, "give the keys")
	return out.String()
}

func TestAStuckInstanceSaysWhyAndWhatToDo(t *testing.T) {
	t.Parallel()
	d := &instances()[1]
	d.Problem.EventID, d.Problem.Tries = 4, 3
	says(t, describe(d, client.Pending{}), "instance       order-2", "status         stuck", "\nstuck: panic at event 4, 3 tries\n  no", "\nwhat to do: "+views.ProblemAdvice("panic"))
}

func TestAnInstanceSaysWhatItWaitsForAndWhatNoWaitTook(t *testing.T) {
	t.Parallel()
	var w client.Pending
	for i := range 22 {
		w.Operations = append(w.Operations, client.PendingOperation{Kind: history.ActivityScheduled, EventID: int64(i + 2), Name: "Charge", ScheduledAt: noon.Add(-time.Minute)})
	}
	w.Operations[0] = client.PendingOperation{Kind: history.TimerCreated, EventID: 2, ScheduledAt: noon.Add(-time.Hour), DueAt: noon.Add(-time.Second)}
	w.Operations[1] = client.PendingOperation{Kind: history.SubOrchestrationScheduled, EventID: 3, Name: "Ship", Instance: "order-1/ship", ScheduledAt: noon, Child: &instances()[1]}
	w.UnconsumedEvents = []client.UnconsumedEvent{{EventID: 30, Name: "approved", At: noon, Actor: "ada", RejectedBy: 31, Reason: "too late"}}
	w.Updates = []client.UpdateStatus{{EventID: 40, Name: "change address", ID: "u-1", Stage: client.UpdateSent, At: noon}, {EventID: 41, Name: "add", ID: "u-2", Stage: client.UpdateAccepted, At: noon}}
	text := describe(&instances()[0], w)
	says(t, text, "\nwaits for\n", "event 2 ", "timer", "1.0s overdue", "event 3 ", "child Ship", "instance order-1/ship, stuck: panic", "  and 2 more; --output json shows all\n",
		"\nopen updates\n", "change address", "id u-1", "received 2", "id u-2", "accepted 2",
		"\nunconsumed events\n", "approved", "by ada rejected (event 31): too late")
	if strings.Contains(text, "event 22 ") {
		t.Errorf("more than twenty operations are shown:\n%s", text)
	}
}

func TestAnInstanceNamesItsForksAndWhatItIsAForkOf(t *testing.T) {
	t.Parallel()
	d := &instances()[0]
	d.ForkOf, d.ForkCount, d.Forks = "order-0", 2, []string{"a", "b"}
	says(t, describe(d, client.Pending{}), "fork of        order-0\n", "forks          a, b\n")
	d.ForkCount = 20
	says(t, describe(d, client.Pending{}), "forks          a, b (the last 2 of 20)\n")
}

func TestEncodedPayloadsAreReportedWithWhatToDo(t *testing.T) {
	t.Parallel()
	d := &instances()[0]
	d.DecodeError = errors.New("turnstile: no key \"k1\"")
	d.SearchAttributes = turnstile.SearchAttributes{"total": turnstile.SearchNumber(99.5), "customer": turnstile.SearchString("ada")}
	d.Failure = &history.Failure{Kind: "application", Message: "sold out", Code: "none_left", Source: "Reserve", Attempt: 5, Details: json.RawMessage(`{"sku":"tea"}`)}
	d.Suspension = &store.Suspension{SinceMS: noon.UnixMilli(), EventID: 9, Actor: "ada", Reason: "stocktaking"}
	says(t, describe(d, client.Pending{}), "\nsearch attributes\n  customer", "  total", "\ncannot decode payloads\n  no key \"k1\"\n", "give the keys",
		"failure: application in Reserve, code none_left, attempt 5\n  sold out\n", "\ndetails\n", `"sku": "tea"`, "\nsuspended: since ", "event 9, by ada\n  stocktaking\n", "`turnstile resume`")
}

func TestWhatFailedFirstIsPrintedFirst(t *testing.T) {
	t.Parallel()
	d := &instances()[0]
	activity := &turnstile.ActivityError{Activity: "Charge", Kind: turnstile.KindTimeout, Attempt: 3, Message: "out of time"}
	child := &turnstile.ChildError{Orchestration: "Pay", Instance: "order-1/4", Kind: turnstile.KindApplication, Message: activity.Error()}
	d.Failure = &history.Failure{Kind: "timeout", Source: "Charge", Message: "order 1: " + child.Error()}
	says(t, describe(d, client.Pending{}), "\nfailure: timeout in Charge\n  out of time\n\npropagated through\n  activity Charge, attempt 3 (timeout)\n  child Pay, instance order-1/4: order 1\n")
}
