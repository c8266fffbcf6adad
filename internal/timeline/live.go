package timeline

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/store"
)

// Annotate adds to the open activities of an execution what the activities table knows of them, by event id. now is when the table was
// read.
func (t *Timeline) Annotate(executionID int64, states map[int64]store.ActivityState, now time.Time) {
	for i := range t.Rows {
		r := &t.Rows[i]
		state, known := states[r.EventID]
		if !known || r.ExecutionID != executionID || r.Kind != KindActivity || !r.EndedAt.IsZero() {
			continue
		}
		if live := liveOf(&state); live != nil {
			r.annotate(live, now)
		}
	}
}

// liveOf converts a state; nil if the state says nothing.
func liveOf(s *store.ActivityState) *Live {
	l := &Live{Beat: s.Beat, Retry: s.Next, Stop: s.Stop, StopReason: s.StopReason, Suspect: s.Suspect, Claim: s.Claim}
	if activities.OfRetry(s.Claim.Token) {
		l.Claim = store.Claim{}
		if s.Claim.Attempt == s.Next.Attempt && activities.BarsDue(s.Claim.Token, s.Next.DueAt.UnixMilli()) {
			l.Retry, l.Early = store.NextAttempt{}, s.Claim.Attempt // It has started.
		}
	}
	if l.Beat.Attempt == 0 && l.Retry.Attempt == 0 && !l.Stop && l.Suspect.Attempt == 0 && l.Claim.Attempt == 0 && l.Early == 0 {
		return nil
	}
	return l
}

// attempt returns the number of the newest attempt that has started or is to start; 0 if it is not known.
func (l *Live) attempt() int {
	return max(l.Beat.Attempt, l.Retry.Attempt, l.Suspect.Attempt, l.Claim.Attempt, l.Early)
}

// annotate splits the open span of an activity by what is known of its attempts.
func (r *Row) annotate(l *Live, now time.Time) {
	r.Live, r.Attempt = l, l.attempt()
	last := &r.Spans[len(r.Spans)-1]
	if last.Doing == DoingStop {
		return
	}
	last.Attempt = r.Attempt
	switch l.doing(now) {
	case DoingRetry:
		last.Doing = DoingRetry
		if from := l.Retry.NotedAt; from.After(last.From) {
			last.Doing = DoingUnknown
			last.To, last.Attempt = from, 0
			r.Spans = append(r.Spans, Span{Doing: DoingRetry, From: from, Attempt: r.Attempt})
		}
	case DoingRun:
		// It is known that it ran at its last heartbeat and that it has not ended.
		if from := l.Beat.At; from.After(last.From) {
			last.To, last.Attempt = from, 0
			r.Spans = append(r.Spans, Span{Doing: DoingRun, From: from, Attempt: r.Attempt})
		} else {
			last.Doing = DoingRun
		}
	}
}

// doing returns what the activity does at a time, as far as it is known.
func (l *Live) doing(now time.Time) Doing {
	switch n := l.attempt(); {
	case n == 0:
		return DoingUnknown
	case l.Beat.Attempt == n:
		return DoingRun
	case l.Retry.Attempt == n && l.Retry.DueAt.After(now):
		return DoingRetry
	}
	return DoingUnknown
}
