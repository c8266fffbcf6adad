package timeline

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/store"
)

// Annotate adds to open activities what the activities table knows of them, by
// their event ids, of one execution. now is the time of the look.
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

// liveOf is what a state says; nil for nothing.
func liveOf(s *store.ActivityState) *Live {
	l := &Live{Beat: s.Beat, Retry: s.Next, Stop: s.Stop, StopReason: s.StopReason, Suspect: s.Suspect, Claim: s.Claim}
	if activities.OfRetry(s.Claim.Token) {
		l.Claim = store.Claim{}
		if s.Claim.Attempt == s.Next.Attempt && activities.BarsDue(s.Claim.Token, s.Next.DueAt.UnixMilli()) {
			l.Retry, l.Early = store.NextAttempt{}, s.Claim.Attempt // It has begun.
		}
	}
	if l.Beat.Attempt == 0 && l.Retry.Attempt == 0 && !l.Stop && l.Suspect.Attempt == 0 && l.Claim.Attempt == 0 && l.Early == 0 {
		return nil
	}
	return l
}

// attempt is the number of the newest attempt that was begun or is to begin; 0
// where nothing tells.
func (l *Live) attempt() int {
	return max(l.Beat.Attempt, l.Retry.Attempt, l.Suspect.Attempt, l.Claim.Attempt, l.Early)
}

// annotate cuts the open span of an activity by what is known of its attempts.
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
		// That it ran at its last heartbeat is known, and that it has not ended.
		if from := l.Beat.At; from.After(last.From) {
			last.To, last.Attempt = from, 0
			r.Spans = append(r.Spans, Span{Doing: DoingRun, From: from, Attempt: r.Attempt})
		} else {
			last.Doing = DoingRun
		}
	}
}

// doing says what the activity does at a time, as far as that is known.
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
