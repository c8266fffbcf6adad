package worker

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/attempt"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

var noon = time.UnixMilli(1_700_000_000_000)

// third returns the third attempt of an activity that was scheduled a minute ago.
func third(retry *history.Retry) *wire.Item {
	return &wire.Item{V: 1, Kind: wire.ActivityExecute, Name: "Charge", Instance: "order-7", ExecutionID: 2, SchedulingEventID: 5, Token: "k.t",
		Attempt: 3, ScheduledAtMS: noon.Add(-time.Minute).UnixMilli(), Retry: retry, Headers: map[string]string{"traceparent": "00-1", "tenant": "a"}}
}

func TestTheMessagesSentInsteadOfAnAttempt(t *testing.T) {
	t.Parallel()
	due := third(nil)
	due.NotBeforeMS = noon.Add(time.Hour).UnixMilli()
	for name, c := range map[string]struct {
		item *wire.Item
		want string // outcome, kind and attempt of the failure, or the due time of the next attempt
	}{
		"one that is due":                         {third(nil), "nothing"},
		"one that is not due is requeued":         {due, "next in 1h0m0s"},
		"one within the time of all attempts":     {third(&history.Retry{TotalTimeoutMS: 61_000}), "nothing"},
		"one after the time of all attempts":      {third(&history.Retry{TotalTimeoutMS: 60_000}), "total_timeout: total_timeout of attempt 2"},
		"one whose own time limit is long passed": {third(&history.Retry{TimeoutMS: 1}), "nothing"},
	} {
		got := "nothing"
		switch a := notStarted(c.item, noon); {
		case a != nil && a.next != nil:
			got = fmt.Sprintf("next in %s", a.due.Sub(noon))
		case a != nil:
			got = fmt.Sprintf("%s: %s of attempt %d", a.outcome, a.completion.Details.Kind, a.completion.Attempt)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Every response to an attempt names its event and returns its token. Of the headers, it returns
// only the trace.
func TestEveryCompletionHasItsEventAndToken(t *testing.T) {
	t.Parallel()
	item := third(&history.Retry{HeartbeatTimeoutMS: 1000})
	for name, a := range map[string]*answer{
		"completed": completed(item, &attempt.Result{Output: []byte("1"), StartedAtMS: 9}),
		"failed":    failed(item, &history.Failure{Kind: history.FailurePanic, Attempt: 3}, 9),
		"stopped":   stopped(item, "too late"),
		"unheard":   unheard(item),
		"pending":   pending(&task{item: *item}),
	} {
		c := a.completion
		if c.Instance != item.Instance || c.ExecutionID != item.ExecutionID || c.SourceEventID != item.SchedulingEventID || c.Token != item.Token {
			t.Errorf("%s: %+v", name, c)
		}
		want := map[string]string{"traceparent": "00-1"}
		if name == "pending" {
			want = nil
		}
		if !reflect.DeepEqual(c.Headers, want) {
			t.Errorf("%s: headers %v, want %v", name, c.Headers, want)
		}
		if _, err := c.Encode(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAPendingActivityWithoutATimeLimitIsNotReported(t *testing.T) {
	t.Parallel()
	if a := pending(&task{item: *third(&history.Retry{TimeoutMS: 1000})}); a.completion != nil || a.next != nil {
		t.Errorf("%+v", a)
	}
}

// The check that one delivery scheduled may be lost, and SQS drops repeats for five minutes.
func TestEachDeliveryReportsThatItsActivityIsPending(t *testing.T) {
	t.Parallel()
	item := third(&history.Retry{TotalTimeoutMS: 1000})
	seen := map[string]bool{}
	for _, m := range []queue.Message{{ID: "a", ReceiveCount: 1}, {ID: "a", ReceiveCount: 2}, {ID: "b", ReceiveCount: 1}} {
		seen[pending(&task{Message: m, item: *item}).dedupID] = true
	}
	if len(seen) != 3 || seen[""] {
		t.Errorf("deduplication ids %v, want one for each delivery", seen)
	}
}

// The failure of the activity may follow soon after the report of an unheard attempt, and must not be dropped as its
// repeat.
func TestTheReportOfAnUnheardAttemptIsNotARepeatOfTheFailure(t *testing.T) {
	t.Parallel()
	item := third(nil)
	last := failed(item, &history.Failure{Kind: history.FailureApplication, Attempt: 3}, 9)
	if a := unheard(item); a.dedupID == "" || a.dedupID == wire.DedupID(last.completion) {
		t.Errorf("deduplication id %q, that of the failure is %q", a.dedupID, wire.DedupID(last.completion))
	}
}

func TestAReturnedMessageIsCountedByItsCause(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"unknown outcome":   fmt.Errorf("could not claim the attempt: %w", store.ErrUnknownOutcome),
		"store unavailable": fmt.Errorf("could not read the state of the activity: %w", store.ErrUnavailable),
		"dispatch":          fmt.Errorf("%w: throttled", errNotSent),
		"no time":           fmt.Errorf("too little is left: %w", context.DeadlineExceeded),
		"error":             errors.New("no entropy"),
	} {
		if got := delivery.Word(err, errNotSent); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}
