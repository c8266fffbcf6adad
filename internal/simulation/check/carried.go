package check

import (
	"bytes"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/store"
)

// checkCarried is rule 13: in an execution that continues as new, each event is in the transcript,
// which is the input of the next execution, or is an update that was accepted, or was rejected, or is carried over to the next
// execution, in order. Every payload is sent once.
func (w *checker) checkCarried(x *ledger.Recorded, last, next *store.Turn) {
	w.checkAttachedCarried(x, next)
	for i := range next.Events[1:] {
		if e := &next.Events[1+i]; !e.WithPrevious {
			w.Violate("rule 2", "%s at %d of %s/%d was carried over, although its code must not see it", e.Kind, e.EventID, next.Instance, next.ExecutionID)
		}
	}
	if w.Scenario.Program(x.Events[0].Name) == nil {
		return // Other programs do not record which events they took.
	}
	transcript := next.Events[0].Payload
	over := next.Events[1:]
	for i := range x.Events {
		e := &x.Events[i]
		if e.Kind != history.ExternalEvent || strings.HasPrefix(e.Name, history.AnswerPrefix) {
			continue // The next execution has no use for an answer to an update that this one has sent.
		}
		at := -1
		for j := range over {
			if over[j].Kind == history.ExternalEvent && bytes.Equal(over[j].Payload, e.Payload) {
				at = j
			}
		}
		text, _ := program.EventText(e.Payload)
		taken := bytes.Contains(transcript, []byte(`"`+text+`"`))
		if _, update := e.Update(); update {
			taken = accepts(x, e)
		}
		switch rejected := x.Rejected[e.EventID]; {
		case rejected && (taken || at >= 0):
			w.Violate("rule 13", "event %s of %s/%d was rejected; taken nevertheless: %t, carried over: %t", e.Payload, last.Instance, last.ExecutionID, taken, at >= 0)
		case rejected:
		case taken && at >= 0:
			w.Violate("rule 13", "event %s of %s/%d was taken, and is carried over nevertheless", e.Payload, last.Instance, last.ExecutionID)
		case !taken && at < 0:
			w.Violate("rule 13", "event %s of %s/%d was not taken, and is not carried over", e.Payload, last.Instance, last.ExecutionID)
		case at >= 0:
			// The events after it are carried over after it.
			over = over[at+1:]
		}
	}
}
