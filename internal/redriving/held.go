package redriving

import "github.com/turnstile-go/turnstile/history"

// What runs under a limit of instances waits for its turn anew when it is redriven: behind
// OrchestrationRedriven stands an OrchestrationSuspended with the key of the limit. What was
// taken over is held back until that wait is over.

// queue has what runs under a limit wait for its turn.
func (d *Plan) queue(r *Request) {
	if r.LimitKey != "" {
		d.With = append([]history.Event{{Kind: history.OrchestrationSuspended, SenderID: r.StartID, Actor: r.Actor,
			LimitKey: r.LimitKey, Limit: r.Limit}}, d.With...)
	}
}

// Holds reports whether an execution that has taken over events up to last waits for its turn
// behind them, or has waited.
func Holds(events []history.Event, last int64) bool {
	behind := last + 1
	return last > 0 && behind < int64(len(events)) && events[behind].Kind == history.OrchestrationSuspended && events[behind].LimitKey != ""
}

// Held returns what an execution has taken over and held back, with its OrchestrationRedriven,
// and the event that let it go, 0 where none has; nothing where it has held back nothing.
func Held(events []history.Event) (held []history.Event, released int64) {
	if len(events) == 0 || events[0].Start == nil || events[0].Start.Origin == nil {
		return nil, 0
	}
	last := events[0].Start.Origin.EventID
	if !Holds(events, last) {
		return nil, 0
	}
	for _, e := range events[last+2:] {
		if e.Kind == history.OrchestrationResumed {
			return events[:last+1], e.EventID
		}
	}
	return events[:last+1], 0
}
