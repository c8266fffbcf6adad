package timeline_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/timeline"
)

func updateEvent(kind history.Kind, op string, of int64) history.Event {
	return history.Event{Kind: kind, Op: op, SourceEventID: of, Name: history.UpdatePrefix + "change address", SenderID: "u", Actor: "ada", Payload: []byte("1")}
}

func TestAnUpdateIsARowFromItsRequestToItsAnswer(t *testing.T) {
	t.Parallel()
	rejected := updateEvent(history.ExternalRejected, "", 3)
	rejected.Reason = "too late"
	failed := updateEvent(history.SystemCall, history.OpAnswerUpdate, 4)
	failed.Failure = &history.Failure{Kind: "application", Message: "no"}
	s := newScript(1)
	s.turn(0, started())
	s.turn(1, updateEvent(history.ExternalEvent, "", 0), updateEvent(history.ExternalEvent, "", 0), updateEvent(history.ExternalEvent, "", 0), updateEvent(history.ExternalEvent, "", 0))
	s.turn(3, updateEvent(history.SystemCall, history.OpAcceptUpdate, 2), rejected, updateEvent(history.SystemCall, history.OpAcceptUpdate, 4), failed)
	s.turn(5, updateEvent(history.SystemCall, history.OpAnswerUpdate, 2))
	tl := s.timeline()
	check(t, "updates", tl, []timeline.Source{timeline.FromTurns(1, s.turns)})
	if len(tl.Rows) != 4 || len(tl.Marks) != 1 {
		t.Fatalf("%d rows and the marks %+v", len(tl.Rows), tl.Marks)
	}
	second := func(n int64) time.Time { return time.Unix(n, 0).UTC() }
	answered, turned, broken, open := tl.Rows[0], tl.Rows[1], tl.Rows[2], tl.Rows[3]
	if answered.Kind != timeline.KindUpdate || answered.Name != "change address" || answered.State != timeline.StateDone || answered.CompletedBy != 10 || answered.Actor != "ada" ||
		len(answered.Spans) != 2 || answered.Spans[0].Doing != timeline.DoingWait || answered.Spans[1].Doing != timeline.DoingRun || !answered.Spans[1].From.Equal(second(3)) || !answered.EndedAt.Equal(second(5)) {
		t.Errorf("an answered update is %+v", answered)
	}
	if turned.State != timeline.StateFailed || turned.Failure.Kind != timeline.FailureRejected || turned.Failure.Message != "too late" || len(turned.Spans) != 1 || !turned.EndedAt.Equal(second(3)) {
		t.Errorf("a rejected update is %+v", turned)
	}
	if broken.State != timeline.StateFailed || broken.Failure.Message != "no" || broken.CompletedBy != 9 {
		t.Errorf("a failed update is %+v", broken)
	}
	if open.State != timeline.StateOpen || open.UpdateText() != "not accepted or rejected yet" {
		t.Errorf("an open update is %+v", open)
	}
	running := newScript(1)
	running.turn(0, started())
	running.turn(1, updateEvent(history.ExternalEvent, "", 0))
	running.turn(2, updateEvent(history.SystemCall, history.OpAcceptUpdate, 2))
	if r := running.timeline().Rows[0]; r.State != timeline.StateOpen || r.UpdateText() != "accepted; its handler runs" {
		t.Errorf("an accepted update is %+v", r)
	}
	var steps timeline.Steps
	steps.Add(tl)
	if all := steps.All(); len(all) != 1 || all[0].Kind != timeline.KindUpdate || all[0].Failed != 2 || all[0].Open != 1 || len(all[0].Took) != 3 {
		t.Errorf("the steps are %+v", all)
	}
	writes, reads := 0.0, 0.0
	for _, l := range timeline.Count(tl, []timeline.Source{timeline.FromTurns(1, s.turns)}).Lines {
		switch l.What {
		case "the answers to updates":
			writes = l.Count
		case "a read of the answer before an update is decided about":
			reads = l.Count
		}
	}
	if writes != 4 || reads != 4 {
		t.Errorf("%v writes and %v reads of answers are billed: want a write for each of three verdicts and for the late answer, and a read for each request", writes, reads)
	}
}

// A damaged or truncated history has answers without requests.
func TestAnAnswerWithoutARequestIsACall(t *testing.T) {
	t.Parallel()
	s := newScript(1)
	s.turn(0, started(), updateEvent(history.SystemCall, history.OpAnswerUpdate, 7), updateEvent(history.ExternalRejected, "", 7))
	if tl := s.timeline(); len(tl.Rows) != 1 || tl.Rows[0].Kind != timeline.KindCall {
		t.Errorf("the rows are %+v", tl.Rows)
	}
}

func TestAnUpdateThatTheCodeSentIsARowUntilItsAnswer(t *testing.T) {
	t.Parallel()
	send := func(id string) []history.Event {
		return []history.Event{{Kind: history.SystemCall, Op: history.OpRaiseEvent, Name: history.UpdatePrefix + "change address", Instance: "order-1", SenderID: id},
			{Kind: history.ExternalSubscribed, Name: history.AnswerPrefix + id}}
	}
	answer := func(id string, of history.Event) history.Event {
		return history.Event{Kind: history.ExternalEvent, Name: history.AnswerPrefix + id, Payload: history.Encode([]history.Event{of})}
	}
	rejection := updateEvent(history.ExternalRejected, "", 2)
	rejection.EventID, rejection.Reason = 3, "too late"
	output := updateEvent(history.SystemCall, history.OpAnswerUpdate, 2)
	output.EventID = 3
	s := newScript(1)
	s.turn(0, append([]history.Event{started()}, append(append(send("a"), send("b")...), send("c")...)...)...)
	s.turn(1, answer("a", output), answer("b", rejection))
	tl := s.timeline()
	check(t, "sent updates", tl, []timeline.Source{timeline.FromTurns(1, s.turns)})
	var sent []timeline.Row
	for _, r := range tl.Rows {
		if r.Kind == timeline.KindUpdate {
			sent = append(sent, r)
		} else if r.Kind != timeline.KindCall || r.Name != "update change address" {
			t.Errorf("a row is %+v", r)
		}
	}
	if len(sent) != 3 || sent[0].State != timeline.StateDone || sent[1].State != timeline.StateFailed || sent[1].Failure.Message != "too late" || sent[2].State != timeline.StateOpen {
		t.Fatalf("the updates are %+v", sent)
	}
	if r := sent[2]; r.Name != "change address" || r.Instance != "order-1" || r.UpdateText() != "waits for the answer" {
		t.Errorf("an open update is %+v", r)
	}
}
