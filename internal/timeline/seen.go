package timeline

import "fmt"

// AddSeen adds to the open activities of an execution what the process that runs the workers knows of their attempts, by event id.
func (t *Timeline) AddSeen(executionID int64, seen map[int64]Seen) {
	for i := range t.Rows {
		r := &t.Rows[i]
		s, known := seen[r.EventID]
		if known && r.ExecutionID == executionID && r.Kind == KindActivity && r.EndedAt.IsZero() {
			r.addSeen(s)
		}
	}
}

func (r *Row) addSeen(s Seen) {
	r.Seen, r.Attempt = &s, s.Attempt
	last := &r.Spans[len(r.Spans)-1]
	if last.Doing == DoingStop {
		return
	}
	last.Attempt = s.Attempt
	switch {
	case s.Since.IsZero():
		if last.Doing == DoingUnknown && s.Attempt == r.AttemptsMade+1 {
			last.Doing = DoingWait
		}
	case s.Since.After(last.From):
		if last.Doing == DoingUnknown && s.Attempt == r.AttemptsMade+1 {
			last.Doing = DoingWait
		}
		last.To, last.Attempt = s.Since, 0
		r.Spans = append(r.Spans, Span{Doing: DoingRun, From: s.Since, Attempt: s.Attempt})
	default:
		last.Doing = DoingRun
	}
}

// text describes the state of the attempt.
func (s *Seen) text(of string) string {
	if s.Since.IsZero() {
		return fmt.Sprintf("attempt %d%s is waiting for a worker", s.Attempt, of)
	}
	return fmt.Sprintf("attempt %d%s is running", s.Attempt, of)
}
