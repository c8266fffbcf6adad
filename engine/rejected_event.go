package engine

import (
	"fmt"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/history"
)

// Acceptor says why a wait cannot take an event's data; nil if it can. It is
// asked in the turn that delivers the event and never on replay, must return the
// same for the same data, and must make no durable calls. Nil accepts all.
type Acceptor func(data []byte) error

// maxRejectionReason is how many bytes of an acceptor's error are recorded.
const maxRejectionReason = 1000

// rejects is the part of rule 7 about waits that reject: whether the event is
// rejected, which is recorded as an answer. In a round that has answers they
// alone decide, whatever the code accepts now.
func (x *Execution) rejects(accepts Acceptor, e *history.Event) (bool, *StuckError) {
	if !x.cursor.live {
		return x.claimRejection(e), nil
	}
	if accepts == nil || x.run.quiet && (x.cursor.visiting == e.EventID || x.known.asking) {
		// The turn that first delivered the event, in this round, recorded no rejection.
		return false, nil
	}
	problem, stuck := x.ask(accepts, e)
	if stuck != nil || problem == nil {
		return false, stuck
	}
	r := x.append(&history.Event{Kind: history.ExternalRejected, SourceEventID: e.EventID, Name: e.Name, Reason: reasonOf(problem)})
	x.cursor.scheduled = r.EventID
	return true, nil
}

func (x *Execution) claimRejection(e *history.Event) bool {
	if x.cursor.claim >= x.cursor.claimEnd {
		return false
	}
	next := x.events.at(x.cursor.claim)
	if next.Kind != history.ExternalRejected || next.SourceEventID != e.EventID {
		return false
	}
	x.cursor.claim++
	x.cursor.scheduled = next.EventID
	return true
}

// ask runs an acceptor, which may be code of the author's. One that panics cannot
// go on, as all of the code: the event is not lost, and mended code is asked
// again.
func (x *Execution) ask(accepts Acceptor, e *history.Event) (problem error, stuck *StuckError) {
	before := x.nested
	x.nested = fmt.Sprintf("the decoding of event %q", e.Name)
	defer func() {
		x.nested = before
		if r := recover(); r != nil {
			stack := AuthorsStack(string(debug.Stack()))
			stuck = &StuckError{Kind: StuckPanic, EventID: e.EventID, Stack: stack,
				Message: fmt.Sprintf("panic in the decoding of event %q: %s%s", e.Name, x.panicText(r), at(placeOf(stack)))}
		}
	}()
	return accepts(e.Payload), nil
}

func reasonOf(problem error) string {
	text := strings.ToValidUTF8(problem.Error(), "\uFFFD")
	if len(text) <= maxRejectionReason {
		return text
	}
	cut := maxRejectionReason - len("…")
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
