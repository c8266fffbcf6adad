package engine

import (
	"github.com/turnstile-go/turnstile/history"
)

// replay visits the events that were fed and not yet visited, round by round. A round is
// one or more arrivals followed by the scheduling events that the code made in response
// (rule 2). The order of events alone divides a history into rounds.
func (x *Execution) replay() {
	for x.stuck == nil && x.cursor.next < x.events.len() && !x.settled && !x.halted {
		x.replayRound()
	}
}

func (x *Execution) replayRound() {
	begin := x.cursor.next
	answers := begin
	for answers < x.events.len() && x.events.at(answers).Kind.Arrival() {
		answers++
	}
	after := answers
	for after < x.events.len() && x.events.at(after).Kind.Scheduling() {
		after++
	}
	var end *history.Event
	if after < x.events.len() && x.events.at(after).Kind.Terminal() {
		end = x.events.at(after)
	}
	forced := end != nil && end.Forced != ""
	if forced && answers == after {
		// Rule 12: a round that has only a forced end is not run.
		x.settled = true
		x.cursor.next = x.events.len()
		return
	}

	x.cursor.claim, x.cursor.claimEnd = answers, after
	// Only the last round can be without scheduling events (rule 4). Running the round now creates
	// them.
	x.cursor.live = answers == after && end == nil
	x.run.quiet = x.cursor.live && x.parkedTo < int64(answers)
	if x.cursor.live && !x.run.quiet {
		if x.cfg.Options.ReadOnly {
			x.halted = true
			return
		}
		x.run.recovered = true
	}
	mark := x.rest()
	visited := x.visitAll(begin, answers)
	if x.stuck == nil {
		x.closeRound(answers, after, end)
	}
	if x.stuck != nil {
		x.run.quiet = false
		x.rollback(mark)
		return
	}
	if x.run.quiet && x.end == nil && x.events.len() == mark.events {
		// The turn that first ran this round has already committed its cancellations,
		// states and search attributes.
		x.run.cancelled, x.run.statesSet, x.run.searchSet = x.run.cancelled[:mark.cancelled], mark.statesSet, mark.searchSet
	}
	x.run.quiet = false
	if x.parkedTo <= int64(answers) {
		x.parkedTo = 0
	}
	x.cursor.next = x.events.len()
	if !x.cursor.live {
		x.cursor.next = after
		if end != nil {
			x.cursor.next++
			x.settled = true
		}
	}
	if x.cursor.live && x.end != nil {
		x.appendEnd(x.events.slice(visited, answers))
	} else if x.cursor.live {
		x.release()
	}
}

// closeRound implements rule 4: when the code rests at the end of a replayed round, all
// scheduling events of the round must be claimed, and the end must be as recorded.
func (x *Execution) closeRound(answers, after int, end *history.Event) {
	if x.cursor.live {
		if end == nil && x.end == nil {
			x.checkDeadlock()
		}
		return
	}
	if x.cursor.claim < x.cursor.claimEnd {
		left := x.events.at(x.cursor.claim)
		place, did := x.resting()
		x.nondeterminism(4, left.EventID, x.describe(left), "did not start it: it "+did, place)
		return
	}
	switch {
	case end == nil && x.end != nil && after < x.events.len():
		next := x.events.at(after)
		x.nondeterminism(4, next.EventID, x.describe(next)+" and later events", x.attempted(), "")
	case end == nil && x.end != nil:
		// The last round has scheduling events, but lacks the end that the code now reaches after
		// them.
		x.nondeterminism(4, int64(after), "no end after its last event", x.attempted(), "")
	case end == nil:
		if after == x.events.len() {
			x.checkDeadlock()
		}
	case end.Forced != "":
		// Rule 12: the coroutines are unwound here, and nothing is compared.
	case x.end == nil:
		place, did := x.resting()
		x.nondeterminism(4, end.EventID, x.describe(end), "has not ended: it "+did, place)
	default:
		x.compareEnd(end)
	}
}

// take implements rule 2: it appends one arrival and runs the code until everything
// rests, which appends the scheduling events of the code's response.
func (x *Execution) take(a *Arrival) Verdict {
	a = x.attaching(a)
	v := x.ledger.judge(a)
	if v.Kind != Recorded {
		return v
	}
	first := x.appendArrival(a)
	x.cursor.claim, x.cursor.claimEnd, x.cursor.live = x.events.len(), x.events.len(), true
	mark := x.rest()
	visited := x.visitAll(first, mark.events)
	if x.stuck == nil && x.end == nil {
		x.checkDeadlock()
	}
	if x.stuck != nil {
		x.rollback(mark)
		x.parkedTo = int64(mark.events)
	} else if x.end != nil {
		x.appendEnd(x.events.slice(visited, mark.events))
	}
	x.cursor.next = x.events.len()
	return Verdict{Kind: Recorded, EventID: int64(first) + 1}
}

// visitAll visits the arrivals of a round until the code ends or cannot continue. It
// returns the index of the first arrival that it did not visit.
func (x *Execution) visitAll(from, to int) int {
	i := from
	for x.cursor.known = from; i < to && x.stuck == nil && x.end == nil; i++ {
		if i >= x.cursor.known {
			x.cursor.known, x.known.byName = i+1, nil
			for x.cursor.known < to && x.events.at(x.cursor.known).WithPrevious {
				x.cursor.known++
			}
		}
		x.visit(x.events.at(i))
	}
	return i
}

// appendArrival records an arrival and the events that come with it, without running
// code.
func (x *Execution) appendArrival(a *Arrival) (first int) {
	first = x.events.len()
	with := first > 0 && x.parkedTo == int64(first) && x.events.at(first-1).Kind.Arrival()
	x.append(&a.Event).WithPrevious = with
	for i := range a.With {
		with := Arrival{Event: a.With[i]}
		if source := with.Event.SourceEventID; source > 0 && source <= int64(x.ledger.entries.len()) {
			// The event was proven when an earlier execution recorded it.
			with.Proven, with.Inline = true, x.ledger.entries.at(int(source-1)).inline
		}
		if x.ledger.judge(&with).Kind == Recorded {
			x.append(&with.Event).WithPrevious = true
		}
	}
	return first
}

func (x *Execution) append(e *history.Event) *history.Event {
	appended := x.events.append(*e)
	appended.EventID, appended.AtMS = int64(x.events.len()), x.run.nowMS
	x.bytes += eventBytes(appended)
	x.ledger.record(appended)
	return appended
}

// restMark is the state at which everything last rested. Events after it belong to a
// round that may still fail.
type restMark struct {
	events, cancelled int
	rejected          int
	states            []history.State
	statesSet         bool
	search, searchSet history.SearchAttributes
}

func (x *Execution) rest() restMark {
	return restMark{x.events.len(), len(x.run.cancelled), x.ledger.rejected, x.states, x.run.statesSet, x.search, x.run.searchSet}
}

// rollback drops what the code did since the mark (rule 11: the arrivals at which the
// code failed are recorded without scheduling events). The coroutines cannot continue
// afterwards.
func (x *Execution) rollback(m restMark) {
	if x.events.len() > m.events {
		x.events.truncate(m.events)
		x.ledger.truncate(m.events)
		x.ledger.rejected = m.rejected
	}
	x.run.cancelled = x.run.cancelled[:m.cancelled]
	x.states, x.statesEncoded, x.run.statesSet = m.states, nil, m.statesSet
	x.search, x.run.searchSet = m.search, m.searchSet
}
