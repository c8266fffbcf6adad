package timeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/store"
)

// script builds the turns of an execution, one line per turn; events carry the second at which they were recorded.
type script struct {
	execution int64
	turns     []store.Turn
	next      int64
}

func newScript(execution int64) *script { return &script{execution: execution, next: 1} }

// turn adds a turn that is committed at a second.
func (s *script) turn(second int64, events ...history.Event) *store.Turn {
	turn := store.Turn{Instance: "i", ExecutionID: s.execution, Messaged: true}
	for _, e := range events {
		e.EventID, e.AtMS = s.next, second*1000
		s.next++
		turn.Events = append(turn.Events, e)
	}
	s.turns = append(s.turns, turn)
	return &s.turns[len(s.turns)-1]
}

func (s *script) timeline() *timeline.Timeline {
	return timeline.New("i", timeline.FromTurns(s.execution, s.turns))
}

func started() history.Event {
	return history.Event{Kind: history.OrchestrationStarted, Name: "Main", Version: "2", Start: &history.Start{ExecutionID: 1}}
}

func act(name string, retry *history.Retry) history.Event {
	return history.Event{Kind: history.ActivityScheduled, Name: name, Retry: retry}
}

func done(of, startedSecond int64, attempt int) history.Event {
	return history.Event{Kind: history.ActivityCompleted, SourceEventID: of, StartedAtMS: startedSecond * 1000, Attempt: attempt, RequestID: "r-1"}
}

func wait(name string) history.Event {
	return history.Event{Kind: history.ExternalSubscribed, Name: name}
}

func event(name string) history.Event {
	return history.Event{Kind: history.ExternalEvent, Name: name}
}

func timer(due int64) history.Event {
	return history.Event{Kind: history.TimerCreated, FireAtMS: due * 1000}
}

// show formats a row in one line: what it is, its state, and its spans in seconds.
func show(r *timeline.Row) string {
	text := fmt.Sprintf("%d %s %s %s", r.EventID, r.Kind, r.Name, r.State)
	for _, s := range r.Spans {
		to := "…"
		if !s.To.IsZero() {
			to = fmt.Sprint(s.To.Unix())
		}
		text += fmt.Sprintf(" %s %d-%s", s.Doing, s.From.Unix(), to)
		if s.Attempt > 0 {
			text += fmt.Sprintf(" #%d", s.Attempt)
		}
	}
	if r.CompletedBy != 0 {
		text += fmt.Sprintf(" ←%d", r.CompletedBy)
	}
	if r.CancelledBy != 0 {
		text += fmt.Sprintf(" ×%d", r.CancelledBy)
	}
	if r.Assumed {
		text += " assumed"
	}
	return text
}

func wantRows(t *testing.T, tl *timeline.Timeline, want ...string) {
	t.Helper()
	var got []string
	for i := range tl.Rows {
		got = append(got, show(&tl.Rows[i]))
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("rows are\n%s\nwant\n%s", g, w)
	}
}

func TestAnActivityWaitsUntilItsAttemptStartedAndThenRuns(t *testing.T) {
	t.Parallel()
	s := newScript(1)
	s.turn(10, started(), act("A", nil), act("B", &history.Retry{MaxAttempts: 5}), act("C", nil), act("D", nil))
	s.turn(20, done(2, 12, 1))
	s.turn(30, done(3, 28, 4))
	s.turn(40, history.Event{Kind: history.ActivityFailed, SourceEventID: 4, Failure: &history.Failure{Kind: history.FailureApplication, Attempt: 1}})
	wantRows(t, s.timeline(),
		"2 activity A done waiting 10-12 running 12-20 #1 ←6",
		"3 activity B done unknown 10-28 running 28-30 #4 ←7",
		"4 activity C failed unknown 10-40 ←8",
		"5 activity D open unknown 10-…",
	)
}

func TestAWorkersClockMayDiffer(t *testing.T) {
	t.Parallel()
	s := newScript(1)
	s.turn(10, started(), act("A", nil), act("B", nil))
	s.turn(20, done(2, 5, 1), done(3, 25, 1))
	wantRows(t, s.timeline(),
		"2 activity A done waiting 10-10 running 10-20 #1 ←4",
		"3 activity B done waiting 10-25 running 25-25 #1 ←5",
	)
}

func TestATimerIsLateUntilItsFiringIsRecorded(t *testing.T) {
	t.Parallel()
	s := newScript(1)
	s.turn(10, started(), timer(20), timer(60), timer(90))
	s.turn(23, history.Event{Kind: history.TimerFired, SourceEventID: 2})
	s.turn(60, history.Event{Kind: history.TimerFired, SourceEventID: 3})
	wantRows(t, s.timeline(),
		"2 timer  done waiting 10-20 late 20-23 ←5",
		"3 timer  done waiting 10-60 ←6",
		"4 timer  open waiting 10-…",
	)
}

func TestWhatIsCancelledStopsAndWhatIsOpenEndsWithItsExecution(t *testing.T) {
	t.Parallel()
	s := newScript(1)
	s.turn(10, started(), act("A", nil), timer(90), wait("E"), act("B", nil),
		history.Event{Kind: history.SubOrchestrationScheduled, Name: "C", Instance: "i/6"}, timer(99), wait("F"))
	s.turn(20, event("G")).Cancelled = []int64{2, 3, 4, 5}
	s.turn(25, history.Event{Kind: history.ActivityFailed, SourceEventID: 2, StartedAtMS: 11_000, Attempt: 1, Failure: &history.Failure{Kind: history.FailureCancelled, Attempt: 1}})
	s.turn(30, history.Event{Kind: history.TimerFired, SourceEventID: 3}, history.Event{Kind: history.OrchestrationCompleted}).Cancelled = []int64{7}
	wantRows(t, s.timeline(),
		"2 activity A cancelled waiting 10-11 running 11-20 #1 stopping 20-25 ←10 ×9",
		"3 timer  cancelled waiting 10-20 ←11 ×9",
		"4 wait E cancelled waiting 10-20 ×9",
		"5 activity B cancelled unknown 10-20 stopping 20-30 ×9",
		"6 child C closed running 10-30",
		"7 timer  closed waiting 10-30",
		"8 wait F closed waiting 10-30",
	)
}

func TestWhatOneTurnSchedulesAndCancelsNeverRuns(t *testing.T) {
	t.Parallel()
	s := newScript(1)
	s.turn(10, started(), act("A", nil), act("B", nil)).Cancelled = []int64{2}
	wantRows(t, s.timeline(), "2 activity A cancelled unknown 10-10 ×3", "3 activity B open unknown 10-…")
}

func TestEventsGoToTheOldestWaitThatWasNotCancelled(t *testing.T) {
	t.Parallel()
	s := newScript(1)
	s.turn(10, started(), event("E"), wait("E"), wait("E"), wait("E"))
	s.turn(20, timer(30)).Cancelled = []int64{4}
	s.turn(30, event("E"), event("X"))
	tl := s.timeline()
	wantRows(t, tl,
		"3 wait E done waiting 10-10 ←2",
		"4 wait E cancelled waiting 10-20 ×6",
		"5 wait E done waiting 10-30 ←7",
		"6 timer  open waiting 20-…",
	)
	if n := len(tl.Marks); n != 2 || tl.Marks[1].EventID != 8 || tl.Marks[1].Name != "X" {
		t.Errorf("marks %+v, want the start and the event that nobody took", tl.Marks)
	}
	// An export does not record cancellations, and the timeline says so.
	var events []history.Event
	for _, turn := range s.turns {
		events = append(events, turn.Events...)
	}
	wantRows(t, timeline.New("i", timeline.FromEvents("i", 1, events)),
		"3 wait E done waiting 10-10 ←2 assumed",
		"4 wait E done waiting 10-30 ←7 assumed",
		"5 wait E open waiting 10-…",
		"6 timer  open waiting 20-…",
	)
}

func TestExecutionsAreBandsAndTurnsTicks(t *testing.T) {
	t.Parallel()
	first := newScript(1)
	first.turn(10, started(), timer(20))
	first.turn(20, history.Event{Kind: history.TimerFired, SourceEventID: 2}, history.Event{Kind: history.SystemCall, Op: history.OpNow}, history.Event{Kind: history.OrchestrationContinuedAsNew})
	second := newScript(2)
	again := started()
	again.Start = &history.Start{ExecutionID: 2, Origin: &history.Origin{Instance: "i", ExecutionID: 1, EventID: 3}}
	second.turn(20, again, timer(50))
	second.turn(50, history.Event{Kind: history.OrchestrationCancelRequested}).Parked = true
	tl := timeline.New("i", timeline.FromTurns(1, first.turns), timeline.FromTurns(2, second.turns))
	wantRows(t, tl, "2 timer  done waiting 10-20 ←3", "4 call  done", "2 timer  open waiting 20-…")
	var bands []string
	for _, x := range tl.Executions {
		bands = append(bands, fmt.Sprintf("%d %s %s %s %d turns %d events rows %d+%d parked %v", x.ExecutionID, x.Name, x.Version, x.End, x.Turns, x.Events, x.FirstRow, x.Rows, x.Parked))
	}
	want := "1 Main 2 OrchestrationContinuedAsNew 2 turns 5 events rows 0+2 parked false\n2 Main 2 Unknown 2 turns 3 events rows 2+1 parked true"
	if got := strings.Join(bands, "\n"); got != want {
		t.Errorf("executions are\n%s\nwant\n%s", got, want)
	}
	if tl.Executions[0].Origin != nil || tl.Executions[1].Origin != again.Start.Origin {
		t.Errorf("they go on from %v and %v", tl.Executions[0].Origin, tl.Executions[1].Origin)
	}
	if len(tl.Ticks) != 4 || tl.Ticks[1].Arrival != history.TimerFired || tl.From.Unix() != 10 || tl.To.Unix() != 50 {
		t.Errorf("ticks %+v, from %s to %s", tl.Ticks, tl.From, tl.To)
	}
}

func TestAnInlineActivityThatIsTriedAgainKnowsItsFirstEvent(t *testing.T) {
	t.Parallel()
	s := newScript(1)
	inline := func(r *history.Retry) history.Event {
		return history.Event{Kind: history.ActivityScheduled, Name: "I", Inline: true, Retry: r}
	}
	s.turn(10, started(), inline(&history.Retry{MaxAttempts: 4}))
	s.turn(11, history.Event{Kind: history.ActivityFailed, SourceEventID: 2, Attempt: 1, StartedAtMS: 10_000, Failure: &history.Failure{Kind: history.FailureApplication, Attempt: 1, RetryAfterMS: 5000}}, timer(16))
	s.turn(16, history.Event{Kind: history.TimerFired, SourceEventID: 4}, inline(&history.Retry{MaxAttempts: 4, AttemptsMade: 1, FirstEventID: 2, TotalTimeoutMS: 60_000}))
	s.turn(18, done(6, 17, 2))
	tl := s.timeline()
	wantRows(t, tl,
		"2 inline I failed waiting 10-10 running 10-11 #1 ←3",
		"4 timer  done waiting 11-16 ←5",
		"6 inline I done waiting 16-17 running 17-18 #2 ←7",
	)
	if r := tl.Rows[2]; r.FirstEventID != 2 || r.AttemptsMade != 1 {
		t.Errorf("the second row %+v does not name its first", r)
	} else if want := time.Unix(70, 0); !r.DueAt.Equal(want) {
		t.Errorf("the time of all attempts ends at %v, want %v: it counts from the first", r.DueAt, want)
	}
}

func TestWhatIsKnownOutsideTheHistoryCutsTheOpenSpan(t *testing.T) {
	t.Parallel()
	second := func(n int64) time.Time { return time.Unix(n, 0).UTC() }
	for _, c := range []struct {
		name  string
		state store.ActivityState
		now   int64
		want  string
		text  string
	}{
		{"nothing", store.ActivityState{}, 50, "2 activity A open unknown 10-…", "up to 5 attempts; the current attempt is not known"},
		{"a heartbeat", store.ActivityState{Beat: store.Heartbeat{Attempt: 2, At: second(40)}}, 50,
			"2 activity A open unknown 10-40 running 40-… #2", "attempt 2 of 5 is running"},
		{"the next attempt is to come", store.ActivityState{Beat: store.Heartbeat{Attempt: 2, At: second(40)}, Next: store.NextAttempt{Attempt: 3, NotedAt: second(45), DueAt: second(60)}}, 50,
			"2 activity A open unknown 10-45 retrying 45-… #3", "attempt 3 of 5 is next"},
		{"the next attempt is due", store.ActivityState{Next: store.NextAttempt{Attempt: 3, NotedAt: second(45), DueAt: second(60)}}, 61,
			"2 activity A open unknown 10-… #3", "attempt 3 of 5 is due; not known whether it is running"},
		{"a stop", store.ActivityState{Stop: true}, 50, "2 activity A open unknown 10-…", "not known whether it is running; stop requested"},
		{"a claim", store.ActivityState{Claim: store.Claim{Attempt: 2, Token: "t", Until: second(90)}}, 50, "2 activity A open unknown 10-… #2", "attempt 2 of 5 was started, and is not started again"},
		{"an attempt that was made early", store.ActivityState{Next: store.NextAttempt{Attempt: 2, NotedAt: second(30), DueAt: second(90)}, Claim: store.Claim{Attempt: 2, Token: activities.EarlyClaim(activities.EarlyID(second(90), "ada"), false, "")}}, 50,
			"2 activity A open unknown 10-… #2", "attempt 2 of 5 is due; not known whether it is running"},
		{"a claim of an attempt that is over", store.ActivityState{Claim: store.Claim{Attempt: 2, Token: "t"}}, 50, "2 activity A open unknown 10-… #2", "attempt 2 of 5 returned without a result: it is pending, or another attempt follows"},
		{"a mark of a suspect", store.ActivityState{Suspect: store.Suspect{Attempt: 1, Deaths: 2}}, 50, "2 activity A open unknown 10-… #1", "attempt 1 of 5 is due; not known whether it is running"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScript(1)
			s.turn(10, started(), act("A", &history.Retry{MaxAttempts: 5}))
			tl := s.timeline()
			tl.Annotate(1, map[int64]store.ActivityState{2: c.state, 7: c.state}, second(c.now))
			wantRows(t, tl, c.want)
			if got := tl.Rows[0].AttemptText(); got != c.text {
				t.Errorf("it says %q, want %q", got, c.text)
			}
			check(t, c.name, tl, []timeline.Source{timeline.FromTurns(1, s.turns)})
		})
	}
}
