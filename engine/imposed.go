package engine

import "github.com/turnstile-go/turnstile/history"

// Rule 12: an end that the code did not make carries "imposed". It is no
// answer: a round with only such an end is not run.

// Impose ends the execution without running code: it appends an
// OrchestrationFailed that carries imposed, and on whose behalf. Turn.Cancelled lists everything
// open. An execution that has ended already is left as it is, and the turn has
// no events.
func (x *Execution) Impose(nowMS int64, imposed, actor string, f history.Failure) (Turn, error) {
	if x.corrupt != nil {
		return Turn{}, x.corrupt
	}
	x.run = runState{nowMS: nowMS, from: x.events.len()}
	x.stuck = nil
	if x.events.len() > 0 && !x.ledger.ended {
		x.appendImposed(imposed, actor, f)
	}
	return x.turn(nil), nil
}

func (x *Execution) appendImposed(imposed, actor string, f history.Failure) {
	x.ledger.open(func(id int64, kind history.Kind, inline bool) {
		switch {
		case kind == history.ActivityScheduled && !inline, kind == history.TimerCreated, kind == history.SubOrchestrationScheduled:
			x.run.cancelled = appendOnce(x.run.cancelled, id)
		}
	})
	x.append(&history.Event{Kind: history.OrchestrationFailed, Imposed: imposed, Actor: actor, Failure: &f})
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
