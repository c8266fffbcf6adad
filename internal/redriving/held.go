package redriving

import "github.com/turnstile-go/turnstile/history"

// A redrive or a fork commits the events that it copies, with OrchestrationRedriven, before
// its code runs. The open operations among them are held back: they are sent by the commit
// in which the code has agreed with the copied events, which has an OrchestrationResumed
// that names OrchestrationRedriven. If the code disagrees, the instance is stuck, and
// nothing is sent until a build agrees. If a limit applies, the instance waits for a permit
// before its code runs: an OrchestrationSuspended with the key of the limit follows
// OrchestrationRedriven.

// queue adds the wait for a permit if a limit applies.
func (d *Plan) queue(r *Request) {
	if r.LimitKey != "" {
		d.With = append([]history.Event{{Kind: history.OrchestrationSuspended, SenderID: r.StartID, Actor: r.Actor,
			LimitKey: r.LimitKey, Limit: r.Limit}}, d.With...)
	}
}

// Releases reports whether an event releases the copied operations: the engine has recorded
// it after the code agreed.
func Releases(e *history.Event) bool {
	return e.Kind == history.OrchestrationResumed && e.SourceEventID > 0
}

// Held returns the events that an execution copied, including its OrchestrationRedriven,
// and the id of the event that released them, or 0 if they are still held back. It returns
// nil if the execution copied nothing.
func Held(events []history.Event) (held []history.Event, released int64) {
	if len(events) == 0 || events[0].Start == nil || events[0].Start.Origin == nil {
		return nil, 0
	}
	last := events[0].Start.Origin.EventID
	if last == 0 || last >= int64(len(events)) {
		return nil, 0
	}
	held = events[:last+1]
	for i := range events[last+1:] {
		if e := &events[last+1+int64(i)]; Releases(e) {
			return held, e.EventID
		}
	}
	return held, 0
}
