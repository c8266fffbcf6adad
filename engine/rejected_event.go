package engine

import (
	"fmt"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/panics"
)

// Acceptor returns an error if a wait cannot accept an event's data. It is called in the turn that
// delivers the event, and never on replay. It must return the same result for the same data, and
// must not make durable calls. A nil Acceptor accepts everything.
type Acceptor func(data []byte) error

// maxRejectionReason limits the recorded text of an acceptor's error, in bytes.
const maxRejectionReason = 1000

// rejects implements rejection in rule 7: it reports whether the wait rejects the event,
// and records the rejection. If the round already has recorded scheduling events, they
// alone decide, whatever the current code accepts.
func (x *Execution) rejects(accepts Acceptor, e *history.Event) (bool, *StuckError) {
	if !x.cursor.live {
		return x.claimRejection(e), nil
	}
	if accepts == nil || x.run.quiet && (x.cursor.visiting == e.EventID || x.known.asking) {
		// The turn that first delivered the event in this round recorded no rejection.
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

// ask calls an acceptor, which may be the author's code. If the acceptor panics, the code cannot
// continue. The event is not lost: the acceptor of fixed code is called again.
func (x *Execution) ask(accepts Acceptor, e *history.Event) (problem error, stuck *StuckError) {
	before := x.nested
	x.nested = fmt.Sprintf("the decoder of event %q", e.Name)
	defer func() {
		x.nested = before
		if r := recover(); r != nil {
			stack := panics.Stack(string(debug.Stack()))
			stuck = &StuckError{Kind: StuckPanic, EventID: e.EventID, Stack: stack,
				Message: fmt.Sprintf("panic in the decoder of event %q: %s%s", e.Name, x.panicText(r), at(panics.Place(stack)))}
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
