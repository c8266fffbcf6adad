package timeline

import "fmt"

// AttemptText says how an activity stands with its attempts, without times: "attempt
// 4 of 5 follows", or that nobody knows.
func (r *Row) AttemptText() string {
	of := ""
	if r.MaxAttempts > 1 {
		of = fmt.Sprintf(" of %d", r.MaxAttempts)
	}
	l := r.Live
	if r.Seen != nil {
		text := r.Seen.text(of)
		if l != nil && l.Stop {
			text += "; asked to stop"
		}
		return text
	}
	if l == nil {
		if r.MaxAttempts > 1 {
			return fmt.Sprintf("up to %d attempts; which one is under way is not known", r.MaxAttempts)
		}
		return "one attempt; whether it runs is not known"
	}
	var text string
	switch doing := r.Spans[len(r.Spans)-1].Doing; {
	case l.attempt() == 0:
		text = "whether it runs is not known"
	case doing == DoingRetry:
		text = fmt.Sprintf("attempt %d%s follows", l.attempt(), of)
	case doing == DoingRun:
		text = fmt.Sprintf("attempt %d%s runs", l.attempt(), of)
	case l.Claim.Attempt == l.attempt() && l.Claim.Until.IsZero():
		text = fmt.Sprintf("attempt %d%s has returned without a result: it is pending, or another follows", l.attempt(), of)
	case l.Claim.Attempt == l.attempt():
		text = fmt.Sprintf("attempt %d%s was begun, and nobody begins it again", l.attempt(), of)
	default:
		text = fmt.Sprintf("attempt %d%s is due; whether it runs is not known", l.attempt(), of)
	}
	if l.Stop {
		text += "; asked to stop"
	}
	return text
}
