package timeline

import "fmt"

// AttemptText describes the attempts of an activity without times, such as "attempt 4 of 5 follows", or says that they are not known.
func (r *Row) AttemptText() string {
	of := ""
	if r.MaxAttempts > 1 {
		of = fmt.Sprintf(" of %d", r.MaxAttempts)
	}
	l := r.Live
	if r.Seen != nil {
		text := r.Seen.text(of)
		if l != nil && l.Stop {
			text += "; stop requested"
		}
		return text
	}
	if l == nil {
		if r.MaxAttempts > 1 {
			return fmt.Sprintf("up to %d attempts; the current attempt is not known", r.MaxAttempts)
		}
		return "one attempt; not known whether it is running"
	}
	var text string
	switch doing := r.Spans[len(r.Spans)-1].Doing; {
	case l.attempt() == 0:
		text = "not known whether it is running"
	case doing == DoingRetry:
		text = fmt.Sprintf("attempt %d%s is next", l.attempt(), of)
	case doing == DoingRun:
		text = fmt.Sprintf("attempt %d%s is running", l.attempt(), of)
	case l.Claim.Attempt == l.attempt() && l.Claim.Until.IsZero():
		text = fmt.Sprintf("attempt %d%s returned without a result: it is pending, or another attempt follows", l.attempt(), of)
	case l.Claim.Attempt == l.attempt():
		text = fmt.Sprintf("attempt %d%s was started, and is not started again", l.attempt(), of)
	default:
		text = fmt.Sprintf("attempt %d%s is due; not known whether it is running", l.attempt(), of)
	}
	if l.Stop {
		text += "; stop requested"
	}
	return text
}

// UpdateText says how far an open update has come.
func (r *Row) UpdateText() string {
	if r.Instance != "" {
		return "waits for the answer"
	}
	if len(r.Spans) > 1 {
		return "accepted; its handler runs"
	}
	return "not accepted or rejected yet"
}
