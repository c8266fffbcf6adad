package world

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// givesUp reports whether a queue moves a batch that was just received to its dead-letter queue:
// its messages were received too often, by processes that died before they handled the messages, or
// by no process.
func (w *World) givesUp(from *Queue, batch []Delivered) bool {
	at := w.Choices.At(w.How(fault.Exhausted), from.Name)
	redrivesChild := func(m *wire.Item) bool { return m.OnConflict.Redrives() && m.Parent != nil }
	switch {
	case w.calm:
		return false
	case w.has(deadLetters) && w.Choices.OneIn(at, 4):
	case w.has(redrives) && w.someIs(batch, redrivesChild) && w.Choices.OneIn(at, 3):
	default:
		return false
	}
	w.faulted(fault.Exhausted)
	return true
}

// giveUp makes the messages of a batch dead letters, which an operator redrives within ten
// minutes.
func (w *World) giveUp(batch []Delivered) {
	for _, m := range batch {
		w.ghostReturns(m)
		w.exhaust(m)
	}
	d := time.Duration(1+w.Choices.IntN(w.Choices.At(choice.OfWorld, "redrive"), 600)) * time.Second
	w.Clock.AfterFunc(d, func() { w.Redrive() })
}
