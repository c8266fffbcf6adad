package timeline

import (
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// cancelText says after what a turn cancelled something. The history does not record
// it, but the code runs only after an event came in: where a turn has one such event,
// that is the reason.
func (b *builder) cancelText(turn *store.Turn) string {
	var cause *history.Event
	for i := range turn.Events {
		if e := &turn.Events[i]; !e.Kind.Scheduling() {
			if cause != nil {
				return fmt.Sprintf("cancelled in the turn of events %d to %d", turn.First(), turn.Last())
			}
			cause = e
		}
	}
	if cause == nil {
		return ""
	}
	switch cause.Kind {
	case history.OrchestrationCancelRequested:
		return fmt.Sprintf("cancelled with its instance: event %d asked it to stop", cause.EventID)
	case history.OrchestrationStarted:
		return "cancelled by the code in the first turn"
	}
	return fmt.Sprintf("cancelled by the code after event %d: %s", cause.EventID, b.cameIn(cause))
}

// cameIn says what an event brought.
func (b *builder) cameIn(e *history.Event) string {
	name := ""
	if n, ok := b.rowOf[e.SourceEventID]; ok {
		name = " " + b.t.Rows[n].Name
	}
	switch e.Kind {
	case history.ExternalEvent:
		return "the external event " + e.Name + " came"
	case history.TimerFired:
		return "a timer fired"
	case history.ActivityCompleted:
		return "activity" + name + " completed"
	case history.ActivityFailed:
		return "activity" + name + " failed"
	case history.SubOrchestrationCompleted:
		return "child" + name + " completed"
	case history.SubOrchestrationFailed:
		return "child" + name + " failed"
	}
	return e.Kind.String()
}
