package history_test

import (
	"reflect"
	"testing"

	"github.com/turnstile-go/turnstile/history"
)

func TestTheFieldsOfInlineActivitiesSurviveTheEncoding(t *testing.T) {
	t.Parallel()
	events := []history.Event{
		{Kind: history.ActivityScheduled, EventID: 9, AtMS: 1, Name: "Format", Inline: true,
			Retry: &history.Retry{MaxAttempts: 4, Batch: 100, AttemptsMade: 2, FirstEventID: 5}},
		{Kind: history.ActivityFailed, EventID: 10, AtMS: 1, SourceEventID: 9,
			Failure: &history.Failure{Kind: history.FailureApplication, Message: "not yet", Attempt: 3, Retryable: true, RetryAfterMS: 60_000}},
	}
	data := history.AppendEvents(nil, events)
	if got, err := history.Decode(data); err != nil || !reflect.DeepEqual(got, events) {
		t.Errorf("%s came back as %+v, %v", data, got, err)
	}
}
