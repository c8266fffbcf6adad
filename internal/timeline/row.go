package timeline

import (
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// row returns the initial row of a scheduling event.
func (b *builder) row(e *history.Event) Row {
	r := Row{ExecutionID: b.x.ExecutionID, EventID: e.EventID, Name: e.Name, Label: e.Label, Version: e.Version, Op: e.Op, Instance: e.Instance,
		State: StateOpen, ScheduledAt: at(e.AtMS)}
	doing := DoingWait
	switch e.Kind {
	case history.ActivityScheduled:
		r.Kind, r.MaxAttempts, doing = KindActivity, 1, DoingUnknown
		if e.Inline {
			r.Kind = KindInline
		}
		if p := e.Retry; p != nil {
			r.Queue, r.MaxAttempts, r.AttemptsMade, r.FirstEventID = p.Queue, max(p.MaxAttempts, 1), p.AttemptsMade, p.FirstEventID
			if p.TotalTimeoutMS > 0 {
				r.DueAt = b.firstScheduled(&r).Add(time.Duration(p.TotalTimeoutMS) * time.Millisecond)
			}
		}
	case history.TimerCreated:
		r.Kind, r.DueAt = KindTimer, said(e.FireAtMS)
	case history.ExternalSubscribed:
		r.Kind = KindWait
		if id, is := strings.CutPrefix(e.Name, history.AnswerPrefix); is && b.sent[id] != nil {
			r.Kind, r.Name, r.Instance = KindUpdate, b.sent[id].Name, b.sent[id].Instance
			r.Name = strings.TrimPrefix(r.Name, history.UpdatePrefix)
		}
	case history.SubOrchestrationScheduled:
		r.Kind, doing = KindChild, DoingRun
	case history.OrchestrationChained:
		r.Kind = KindDetached
	default:
		r.Kind = KindCall
		if update, is := strings.CutPrefix(e.Name, history.UpdatePrefix); is && e.Op == history.OpRaiseEvent {
			b.sent[e.SenderID], r.Name = e, "update "+update
		}
	}
	if r.Kind == KindDetached || r.Kind == KindCall {
		r.State, r.EndedAt = StateDone, r.ScheduledAt
		return r
	}
	r.Spans = []Span{{Doing: doing, From: r.ScheduledAt}}
	return r
}

// firstScheduled returns when the first attempt of an activity was scheduled; the time limit for all attempts counts from then. Retries of
// an inline activity that wait for a timer have rows of their own.
func (b *builder) firstScheduled(r *Row) time.Time {
	since := r.ScheduledAt
	if n, ok := b.rowOf[r.FirstEventID]; ok && r.FirstEventID != 0 {
		since = b.t.Rows[n].ScheduledAt
	}
	return since
}

// complete ends a row with its completion. A completion that arrives after the cancellation is recorded but not delivered to the code.
func (b *builder) complete(r *Row, e *history.Event) {
	if r.CompletedBy != 0 || len(r.Spans) == 0 {
		return // An invalid history. The first completion counts.
	}
	r.CompletedBy = e.EventID
	r.Attempt, r.StartedAt, r.RequestID, r.Actor = e.Attempt, said(e.StartedAtMS), e.RequestID, e.Actor
	if f := e.Failure; f != nil {
		r.Failure = f
		r.Attempt = max(r.Attempt, f.Attempt)
	}
	state := StateDone
	switch {
	case r.State == StateCancelled:
		if !r.EndedAt.IsZero() {
			return
		}
		state = StateCancelled
	case e.Failure != nil && e.Failure.Kind == history.FailureCancelled:
		state = StateCancelled
	case e.Kind == history.ActivityFailed, e.Kind == history.SubOrchestrationFailed:
		state = StateFailed
	}
	r.split()
	r.end(state, at(e.AtMS))
}

// split splits the span of an activity where its last attempt started. Because a worker's clock may differ, the attempt is kept within the
// times that the orchestrator recorded.
func (r *Row) split() {
	if r.StartedAt.IsZero() {
		return
	}
	startedAt := later(r.StartedAt, r.ScheduledAt)
	before := DoingWait
	if r.Attempt > r.AttemptsMade+1 {
		before = DoingUnknown // When the earlier attempts ran is not known.
	}
	spans := []Span{{Doing: before, From: r.ScheduledAt, To: startedAt}, {Doing: DoingRun, From: startedAt, Attempt: r.Attempt}}
	if stop := r.Spans[len(r.Spans)-1]; stop.Doing == DoingStop {
		if startedAt.Before(stop.From) {
			spans[1].To = stop.From
			spans = append(spans, stop)
		} else {
			spans[0].To, spans[1] = stop.From, stop
		}
	}
	r.Spans = spans
}

// cancel records that the turn has cancelled the row.
func (r *Row) cancel(turn *store.Turn) {
	r.CancelledBy = turn.Last()
	r.end(StateCancelled, at(turn.Events[len(turn.Events)-1].AtMS))
	if stops := r.Kind == KindActivity || r.Kind == KindChild; stops && r.EventID < turn.First() {
		// It is asked to stop, and may run until its completion arrives. An operation that the same turn schedules and cancels is never
		// sent.
		r.Spans = append(r.Spans, Span{Doing: DoingStop, From: r.EndedAt})
		r.EndedAt = time.Time{}
	}
}

// end ends the row's last span.
func (r *Row) end(state State, now time.Time) {
	r.State = state
	if r.Kind == KindTimer && state == StateDone {
		// From its due time on, the timer's event is on its way.
		if due := r.DueAt; !due.IsZero() && due.After(r.ScheduledAt) && now.After(due) {
			r.Spans[0].To = due
			r.Spans = append(r.Spans, Span{Doing: DoingLate, From: due})
		}
	}
	last := &r.Spans[len(r.Spans)-1]
	last.To = later(now, last.From)
	r.EndedAt = last.To
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// FailureRejected is the kind of the failure of an update that the code rejected.
const FailureRejected = "rejected"

// update adds what an event says about an update. It reports false if the request is not known, as in a truncated history.
func (b *builder) update(name string, e *history.Event) bool {
	if e.Kind == history.ExternalEvent {
		b.rowOf[e.EventID] = len(b.t.Rows)
		b.t.Rows = append(b.t.Rows, Row{ExecutionID: b.x.ExecutionID, EventID: e.EventID, Kind: KindUpdate, Name: name, State: StateOpen, ScheduledAt: at(e.AtMS),
			Actor: e.Actor, Spans: []Span{{Doing: DoingWait, From: at(e.AtMS)}}})
		return true
	}
	n, known := b.rowOf[e.SourceEventID]
	if !known || b.t.Rows[n].Kind != KindUpdate || b.t.Rows[n].State != StateOpen {
		return false
	}
	r := &b.t.Rows[n]
	switch {
	case e.Kind == history.ExternalRejected:
		r.CompletedBy, r.Failure = e.EventID, &history.Failure{Kind: FailureRejected, Message: e.Reason}
		r.end(StateFailed, at(e.AtMS))
	case e.Op == history.OpAcceptUpdate:
		last := &r.Spans[len(r.Spans)-1]
		last.To = later(at(e.AtMS), last.From)
		r.Spans = append(r.Spans, Span{Doing: DoingRun, From: last.To})
	default:
		r.CompletedBy, r.Failure = e.EventID, e.Failure
		state := StateDone
		if e.Failure != nil {
			state = StateFailed
		}
		r.end(state, at(e.AtMS))
	}
	return true
}

// failureIn returns the failure in the answer to an update that the code sent; nil if it has none, or if it cannot be read.
func failureIn(e *history.Event) *history.Failure {
	if e.Codec != "" {
		return nil
	}
	events, err := history.Decode(e.Payload)
	switch {
	case err != nil || len(events) != 1:
		return nil
	case events[0].Kind == history.ExternalRejected:
		return &history.Failure{Kind: FailureRejected, Message: events[0].Reason}
	case events[0].Op == history.OpAcceptUpdate:
		return &history.Failure{Kind: history.FailureApplication, Message: "the instance ended before the handler returned"}
	}
	return events[0].Failure
}
