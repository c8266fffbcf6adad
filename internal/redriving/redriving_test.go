package redriving_test

import (
	"slices"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/redriving"
)

// told numbers the events of a history.
func told(kinds ...history.Event) []history.Event {
	for i := range kinds {
		kinds[i].EventID = int64(i) + 1
	}
	return kinds
}

var (
	started = history.Event{Kind: history.OrchestrationStarted, Name: "Main", Start: &history.Start{ExecutionID: 1, StartID: "s"}}
	act     = history.Event{Kind: history.ActivityScheduled, Name: "Step"}
	timer   = history.Event{Kind: history.TimerCreated}
	event   = history.Event{Kind: history.ExternalEvent, Name: "go", SenderID: "e"}
	end     = history.Event{Kind: history.OrchestrationFailed, Failure: &history.Failure{Kind: history.FailureApplication}}
	stops   = history.Event{Kind: history.OrchestrationCompleted}
	ended   = history.Event{Kind: history.OrchestrationFailed, Forced: history.ForcedByOperator, Failure: &history.Failure{Kind: history.FailureTerminated}}
)

func done(source int64) history.Event {
	return history.Event{Kind: history.ActivityCompleted, SourceEventID: source}
}

func failed(source int64, kind string) history.Event {
	return history.Event{Kind: history.ActivityFailed, SourceEventID: source, Failure: &history.Failure{Kind: kind}}
}

var inline = history.Event{Kind: history.ActivityScheduled, Name: "In", Inline: true}

func retryOf(first int64) history.Event {
	e := inline
	e.Retry = &history.Retry{AttemptsMade: 1, FirstEventID: first}
	return e
}

func retries(source int64) history.Event {
	e := failed(source, history.FailureApplication)
	e.Failure.RetryAfterMS = 1000
	return e
}

func fired(source int64) history.Event {
	return history.Event{Kind: history.TimerFired, SourceEventID: source}
}

func TestWhatARedriveCopies(t *testing.T) {
	t.Parallel()
	const application, timeout = history.FailureApplication, history.FailureTimeout
	for name, c := range map[string]struct {
		events    []history.Event
		from      int64
		completed bool
		cancelled []redriving.Cancelled
		// prefix is the number of copied events, with the number of later events that are kept.
		prefix, with                    int
		failed, open, closed, forgotten []int64
		carried                         []history.Carried
	}{
		"the last activity failed":                                   {events: told(started, act, done(2), act, failed(4, application), end), prefix: 4, failed: []int64{4}},
		"the first of two failed, and the other completed behind it": {events: told(started, act, act, failed(2, application), done(3), end), prefix: 3, with: 1, failed: []int64{2}},
		"the code has waited since":                                  {events: told(started, act, act, failed(2, application), timer, done(3), end), prefix: 3, with: 1, failed: []int64{2}, forgotten: []int64{5}},
		"the code has asked for something since":                     {events: told(started, act, failed(2, application), act, done(4), end), prefix: 4, with: 1},
		"an event came in between":                                   {events: told(started, act, event, failed(2, application), end), prefix: 2, with: 1, failed: []int64{2}},
		"it was out of time":                                         {events: told(started, act, failed(2, timeout), end), prefix: 2, failed: []int64{2}, carried: []history.Carried{{EventID: 2, ExecutionID: 1}}},
		"it was terminated": {events: told(started, act, timer, ended), prefix: 3, open: []int64{2, 3},
			carried: []history.Carried{{EventID: 2, ExecutionID: 1}, {EventID: 3, ExecutionID: 1}}},
		"it was terminated, and what had come was never answered": {events: told(started, act, timer, done(2), ended), prefix: 3, with: 1, open: []int64{3},
			carried: []history.Carried{{EventID: 3, ExecutionID: 1}}},
		"an inline activity waits for its retry": {events: told(started, inline, retries(2), timer, ended), prefix: 4, open: []int64{4},
			carried: []history.Carried{{EventID: 2, ExecutionID: 1}, {EventID: 4, ExecutionID: 1}}},
		"the retry was out of time": {events: told(started, inline, retries(2), timer, fired(4), retryOf(2), failed(6, timeout), end), prefix: 6, failed: []int64{6},
			carried: []history.Carried{{EventID: 2, ExecutionID: 1}, {EventID: 6, ExecutionID: 1}}},
		"the retry failed":    {events: told(started, inline, retries(2), timer, fired(4), retryOf(2), failed(6, application), end), prefix: 6, failed: []int64{6}},
		"the retry completed": {events: told(started, inline, retries(2), timer, fired(4), retryOf(2), done(6), act, failed(8, application), end), prefix: 8, failed: []int64{8}},
		"a retry is not the failure": {events: told(started, act, inline, failed(2, application), retries(3), timer, fired(6), end), prefix: 3, failed: []int64{2, 3}, forgotten: []int64{6},
			carried: []history.Carried{{EventID: 3, ExecutionID: 1}}},
		"from before a retry that failed in the end": {events: told(started, inline, retries(2), timer, fired(4), retryOf(2), failed(6, application), end), from: 3,
			prefix: 2, failed: []int64{2}, forgotten: []int64{4, 6}, carried: []history.Carried{}},
		"from before a retry that completed": {events: told(started, inline, retries(2), timer, fired(4), retryOf(2), done(6), act, failed(8, application), end), from: 3,
			prefix: 2, failed: []int64{2}, forgotten: []int64{4, 6, 8}, carried: []history.Carried{}},
		"from before a retry that was out of time": {events: told(started, inline, retries(2), timer, fired(4), retryOf(2), failed(6, timeout), end), from: 3,
			prefix: 2, failed: []int64{2}, forgotten: []int64{4, 6}, carried: []history.Carried{{EventID: 2, ExecutionID: 1}}},
		"from before a retry that was open": {events: told(started, inline, retries(2), timer, fired(4), retryOf(2), ended), from: 3,
			prefix: 2, failed: []int64{2}, forgotten: []int64{4, 6}, carried: []history.Carried{{EventID: 2, ExecutionID: 1}}},
		"from the timer of a retry that failed in the end": {events: told(started, inline, retries(2), timer, fired(4), retryOf(2), failed(6, application), end), from: 5,
			prefix: 4, failed: []int64{4}, forgotten: []int64{6}, carried: []history.Carried{}},
		"its first round failed": {events: told(started, end)},
		"what a commit cancelled stays closed, even if the end closed it again": {events: told(started, timer, event, act, failed(4, application), end), prefix: 4, failed: []int64{4}, closed: []int64{2},
			cancelled: []redriving.Cancelled{{Events: []int64{2}, By: 4}, {Events: []int64{2}, By: 6}}},
		"what the end closed was open": {events: told(started, timer, event, act, failed(4, application), end), prefix: 4, failed: []int64{4}, open: []int64{2},
			cancelled: []redriving.Cancelled{{Events: []int64{2}, By: 6}}, carried: []history.Carried{{EventID: 2, ExecutionID: 1}}},
		"it has completed, and continues because the request allows it": {events: told(started, act, event, done(2), timer, stops), completed: true, prefix: 2, with: 2, forgotten: []int64{5}},
		"it has completed in its first round":                           {events: told(started, act, stops), completed: true, forgotten: []int64{2}},
		"from a completion":                                             {events: told(started, act, done(2), act, done(4), end), from: 3, prefix: 2, failed: []int64{2}, forgotten: []int64{4}},
		"from what the code asked for":                                  {events: told(started, act, done(2), act, done(4), end), from: 4, prefix: 2, with: 1, forgotten: []int64{4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := redriving.From("i", 1, c.events, redriving.Request{From: c.from, Completed: c.completed, ExecutionID: 2, StartID: "r", Cancelled: c.cancelled})
			if err != nil {
				t.Fatal(err)
			}
			var carried []history.Carried
			if len(p.Prefix) > 0 {
				carried = p.Prefix[0].Start.Origin.Carried
			}
			if len(p.Prefix) != c.prefix || len(p.With) != c.with || !slices.Equal(p.Failed, c.failed) || !slices.Equal(p.Closed, c.closed) || !slices.Equal(p.Forgotten, c.forgotten) {
				t.Errorf("%d copied, %d later events kept; failed %v, open %v, closed %v, forgotten %v", len(p.Prefix), len(p.With), p.Failed, p.Open, p.Closed, p.Forgotten)
			}
			if c.from == 0 && (!slices.Equal(p.Open, c.open) || !slices.Equal(carried, c.carried)) {
				t.Errorf("open %v, carried %v", p.Open, carried)
			}
			if c.from != 0 && c.carried != nil && !slices.Equal(carried, c.carried) {
				t.Errorf("from %d carried %v", c.from, carried)
			}
			if want := map[bool]history.Kind{true: history.OrchestrationRedriven, false: history.OrchestrationStarted}[c.prefix > 0]; p.Event.Kind != want {
				t.Errorf("it continues with %s", p.Event.Kind)
			}
		})
	}
}
