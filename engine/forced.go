package engine

import "github.com/turnstile-go/turnstile/history"

// Rule 12: Event.Forced is set in an end that the code did not make. Such an end is not a response
// to an arrival, so a round whose only event is such an end is not run.

// ForceEnd ends the execution without running code. It appends an OrchestrationFailed with
// forced and actor; Turn.Cancelled lists every open operation. If the execution has
// already ended, ForceEnd changes nothing and the turn has no events.
func (x *Execution) ForceEnd(nowMS int64, forced, actor string, f history.Failure) (Turn, error) {
	if x.corrupt != nil {
		return Turn{}, x.corrupt
	}
	x.run = runState{nowMS: nowMS, from: x.events.len()}
	x.stuck = nil
	if x.events.len() > 0 && !x.ledger.ended {
		x.appendForced(forced, actor, f)
	}
	return x.turn(nil), nil
}

func (x *Execution) appendForced(forced, actor string, f history.Failure) {
	x.ledger.open(func(id int64, kind history.Kind, inline bool) {
		switch {
		case kind == history.ActivityScheduled && !inline, kind == history.TimerCreated, kind == history.SubOrchestrationScheduled:
			x.run.cancelled = appendOnce(x.run.cancelled, id)
		}
	})
	x.append(&history.Event{Kind: history.OrchestrationFailed, Forced: forced, Actor: actor, Failure: &f})
	x.settled = true
	x.cursor.next = x.events.len()
}

func appendOnce(ids []int64, id int64) []int64 {
	for _, other := range ids {
		if other == id {
			return ids
		}
	}
	return append(ids, id)
}
