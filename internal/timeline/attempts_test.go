package timeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/store"
)

// attemptLine formats an attempt in one line: number, state, start and end in seconds, due time, worker, failure, and * if it is in the
// history.
func attemptLine(a *timeline.Attempt) string {
	at := func(t time.Time) string {
		if t.IsZero() {
			return "?"
		}
		return fmt.Sprint(t.Unix())
	}
	line := fmt.Sprintf("%d %s %s-%s", a.Number, a.State, at(a.StartedAt), at(a.EndedAt))
	if !a.DueAt.IsZero() {
		line += " due " + at(a.DueAt)
	}
	if a.RequestID != "" {
		line += " by " + a.RequestID
	}
	if a.Failure != nil {
		line += " " + a.Failure.Kind + ": " + a.Failure.Message
	}
	if a.Recorded {
		line += " *"
	}
	return line
}

func TestAttemptsAreThoseOfTheHistoryAndThoseThatWereNoted(t *testing.T) {
	t.Parallel()
	second := func(n int64) time.Time { return time.Unix(n, 0).UTC() }
	note := func(attempt int, from, to, due int64) store.NextAttempt {
		return store.NextAttempt{Attempt: attempt, StartedAt: second(from), NotedAt: second(to), DueAt: second(due), RequestID: fmt.Sprint("r", attempt-1), Kind: "application", Message: "closed"}
	}
	failed := func(kind string, attempt int, startedSecond int64) history.Event {
		return history.Event{Kind: history.ActivityFailed, SourceEventID: 2, StartedAtMS: startedSecond * 1000, Attempt: attempt, RequestID: "r-1", Failure: &history.Failure{Kind: kind, Message: "gone", Attempt: attempt}}
	}
	two := store.ActivityState{Earlier: []store.NextAttempt{note(2, 11, 12, 20)}, Next: note(3, 21, 22, 40)}
	for _, c := range []struct {
		name  string
		retry *history.Retry
		end   []history.Event
		state store.ActivityState
		seen  map[int64]timeline.Seen
		now   int64
		noted bool
		want  string
	}{
		{"done at once", nil, []history.Event{done(2, 15, 1)}, store.ActivityState{}, nil, 50, false, "1 done 15-45 by r-1 *"},
		{"nothing is known", &history.Retry{MaxAttempts: 3}, nil, store.ActivityState{}, nil, 30, true, "1 unknown ?-?"},
		{"the third is to come", &history.Retry{MaxAttempts: 3}, nil, two, nil, 30, true,
			"1 failed 11-12 by r1 application: closed|2 failed 21-22 by r2 application: closed|3 waiting ?-? due 40"},
		{"the third is due", &history.Retry{MaxAttempts: 3}, nil, two, nil, 42, true,
			"1 failed 11-12 by r1 application: closed|2 failed 21-22 by r2 application: closed|3 unknown ?-? due 40"},
		{"the third runs here", &history.Retry{MaxAttempts: 3}, nil, two, map[int64]timeline.Seen{2: {Attempt: 3, Since: second(41)}}, 42, true,
			"1 failed 11-12 by r1 application: closed|2 failed 21-22 by r2 application: closed|3 running 41-? due 40"},
		{"the third gives signs of life", &history.Retry{MaxAttempts: 3}, nil,
			store.ActivityState{Earlier: two.Earlier, Next: two.Next, Beat: store.Heartbeat{Attempt: 3, At: second(43)}}, nil, 44, true,
			"1 failed 11-12 by r1 application: closed|2 failed 21-22 by r2 application: closed|3 running ?-? due 40"},
		{"the third was the last", &history.Retry{MaxAttempts: 3}, []history.Event{failed(history.FailureApplication, 3, 41)}, two, nil, 50, true,
			"1 failed 11-12 by r1 application: closed|2 failed 21-22 by r2 application: closed|3 failed 41-45 by r-1 application: gone *"},
		{"it was stopped ahead of the third", &history.Retry{MaxAttempts: 3}, []history.Event{failed(history.FailureCancelled, 2, 0)}, two, nil, 50, true,
			"1 failed 11-12 by r1 application: closed|2 failed 21-22 by r2 application: closed"},
		{"the fourth was the first that a note follows", &history.Retry{MaxAttempts: 9}, nil, store.ActivityState{Next: note(5, 21, 22, 40)}, nil, 30, true,
			"4 failed 21-22 by r4 application: closed|5 waiting ?-? due 40"},
		{"the execution ended before it", &history.Retry{MaxAttempts: 3}, []history.Event{{Kind: history.OrchestrationCompleted}}, two, nil, 30, true,
			"1 failed 11-12 by r1 application: closed|2 failed 21-22 by r2 application: closed|3 unknown ?-?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScript(1)
			s.turn(10, started(), act("A", c.retry))
			if c.end != nil {
				s.turn(45, c.end...)
			}
			tl := s.timeline()
			if got := tl.Rows[0].Noted(); got != c.noted {
				t.Errorf("that more than the history may be known is %v", got)
			}
			tl.AddSeen(1, c.seen)
			wantAttempts(t, tl.Attempts(1, 2, c.state, second(c.now)), c.want)
		})
	}
}

func wantAttempts(t *testing.T, all []timeline.Attempt, want string) {
	t.Helper()
	lines := make([]string, len(all))
	for i := range all {
		lines[i] = attemptLine(&all[i])
	}
	if got := strings.Join(lines, "|"); got != want {
		t.Errorf("attempts are\n%s\nwant\n%s", got, want)
	}
}

// Each attempt of an inline activity that follows a timer has a scheduling event of its own. Attempts returns all of them for any of these
// events.
func TestAttemptsOfAnInlineActivityStandInTheHistory(t *testing.T) {
	t.Parallel()
	inline := func(retry *history.Retry) history.Event {
		e := act("I", retry)
		e.Inline = true
		return e
	}
	s := newScript(1)
	s.turn(10, started(), inline(&history.Retry{MaxAttempts: 4}))
	s.turn(11, history.Event{Kind: history.ActivityFailed, SourceEventID: 2, StartedAtMS: 10_000, Attempt: 1, Failure: &history.Failure{Kind: "application", Message: "closed", Attempt: 1}}, timer(16), inline(nil))
	s.turn(16, history.Event{Kind: history.TimerFired, SourceEventID: 4}, inline(&history.Retry{MaxAttempts: 4, AttemptsMade: 1, FirstEventID: 2}))
	s.turn(18, done(7, 17, 2))
	tl := s.timeline()
	for _, event := range []int64{2, 7} {
		wantAttempts(t, tl.Attempts(1, event, store.ActivityState{}, time.Unix(50, 0)), "1 failed 10-11 application: closed *|2 done 17-18 by r-1 *")
	}
	if tl.Attempts(1, 4, store.ActivityState{}, time.Unix(50, 0)) != nil || tl.Attempts(1, 99, store.ActivityState{}, time.Unix(50, 0)) != nil {
		t.Error("a timer, or an event that is not there, has attempts")
	}
	if r := tl.Row(1, 2); r.Noted() || strings.Contains(r.Kept(false), "$") {
		t.Errorf("of an inline activity it says %q", r.Kept(false))
	}
	s.turn(20, act("A", nil))
	if r := s.timeline().Row(1, 9); !strings.Contains(r.Kept(false), "$0.625 per million") || strings.Contains(r.Kept(true), "$") {
		t.Errorf("of what is kept it says %q", r.Kept(false))
	}
}
