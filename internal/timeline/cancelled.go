package timeline

import (
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// cancelText names the event after which a turn cancelled something. The history does not record the reason, but code runs only after an
// incoming event: if the turn has exactly one such event, that event is the reason.
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
		return fmt.Sprintf("cancelled with its instance by event %d", cause.EventID)
	case history.OrchestrationStarted:
		return "cancelled by the code in the first turn"
	}
	return fmt.Sprintf("cancelled by the code after event %d: %s", cause.EventID, b.cameIn(cause))
}

// cameIn describes an incoming event.
func (b *builder) cameIn(e *history.Event) string {
	name := ""
	if n, ok := b.rowOf[e.SourceEventID]; ok {
		name = " " + b.t.Rows[n].Name
	}
	switch e.Kind {
	case history.ExternalEvent:
		return "external event " + e.Name + " was received"
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
