package orchestrator

import (
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// damage makes a gap in the history of an instance.
func damage(w *world, instance string, execution int64) {
	w.Helper()
	turns := w.turns(instance, execution)
	if err := w.store.Commit(w.Context(), store.Commit{Turns: []store.Turn{{Instance: instance, ExecutionID: execution, Token: "broken", Events: []history.Event{
		{EventID: turns[len(turns)-1].Last() + 1, Kind: history.TimerFired, SourceEventID: 99}}}}}); err != nil {
		w.Fatal(err)
	}
}
