package engine

import (
	"github.com/turnstile-go/turnstile/history"
)

// replay visits what was fed and not yet visited, round by round. A round is a
// run of arrivals and the answers behind them (rule 2); a history falls into
// rounds by itself.
func (x *Execution) replay() {
	for x.stuck == nil && x.cursor.next < x.events.len() && !x.settled {
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
	imposed := end != nil && end.Imposed != ""
	if imposed && answers == after {
		// Rule 12: a round with only an imposed end is not run.
		x.settled = true
		x.cursor.next = x.events.len()
		return
	}

	x.cursor.claim, x.cursor.claimEnd = answers, after
	// Only the last round can be without answers (rule 4); running it now
	// makes them.
	x.cursor.live = answers == after && end == nil
	x.run.quiet = x.cursor.live && x.parkedTo < int64(answers)
	if x.cursor.live && !x.run.quiet {
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
		// The turn that first ran this round has committed what it cancelled
		// and set.
		x.run.cancelled, x.run.statusSet, x.run.searchSet = x.run.cancelled[:mark.cancelled], mark.statusSet, mark.searchSet
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
	}
}

// closeRound is rule 4: when the code rests at the end of a replayed round,
// every scheduling event of it has been claimed, and the end is the recorded
// one.
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
		// A last round that has answers, but not the end that the code makes
		// of them now.
		x.nondeterminism(4, int64(after), "no end behind its last event", x.attempted(), "")
	case end == nil:
		if after == x.events.len() {
			x.checkDeadlock()
		}
	case end.Imposed != "":
		// Rule 12: the coroutines are unwound there and nothing is compared.
	case x.end == nil:
		place, did := x.resting()
		x.nondeterminism(4, end.EventID, x.describe(end), "has not ended: it "+did, place)
	default:
		x.compareEnd(end)
	}
}

// take is rule 2: append one arrival, run the code until everything rests,
// append the scheduling events that it made in answer.
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

// visitAll visits the arrivals of a round until the code ends or can't go on, and
// returns the index of the first that it has not visited.
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

// appendArrival records an arrival and what it brings, without running code.
func (x *Execution) appendArrival(a *Arrival) (first int) {
	first = x.events.len()
	with := first > 0 && x.parkedTo == int64(first) && x.events.at(first-1).Kind.Arrival()
	x.append(&a.Event).WithPrevious = with
	for i := range a.With {
		with := Arrival{Event: a.With[i]}
		if source := with.Event.SourceEventID; source > 0 && source <= int64(x.ledger.entries.len()) {
			// It was proven when it was recorded in the execution before.
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

// restMark is where everything rested last: what is behind it belongs to a
// round that may still fail.
type restMark struct {
	events, cancelled int
	status            []byte
	statusSet         bool
	search, searchSet history.SearchAttributes
}

func (x *Execution) rest() restMark {
	return restMark{x.events.len(), len(x.run.cancelled), x.status, x.run.statusSet, x.search, x.run.searchSet}
}

// rollback drops what the code did since the mark (rule 11: the arrivals at
// which it happened are recorded without answers). The coroutines can't go on
// after it.
func (x *Execution) rollback(m restMark) {
	if x.events.len() > m.events {
		x.events.truncate(m.events)
		x.ledger.truncate(m.events)
	}
	x.run.cancelled = x.run.cancelled[:m.cancelled]
	x.status, x.run.statusSet = m.status, m.statusSet
	x.search, x.run.searchSet = m.search, m.searchSet
}
