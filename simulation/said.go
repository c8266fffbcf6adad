package simulation

import (
	"github.com/turnstile-go/turnstile/wire"
)

// says completes an item of a client: who asks is derived from its id, so that
// the checker knows it again.
func (w *World) says(item *wire.Item) {
	if item.SentMS == 0 {
		item.SentMS = w.clock.Now().UnixMilli()
	}
	if item.ID == "" {
		return
	}
	item.Actor = actorOf(item.ID)
	if item.Kind == wire.StartOrchestration {
		item.Headers = headersOf(item.ID)
	}
	note(&w.said, item.ID, true)
}

func actorOf(id string) string { return "client of " + id }

func headersOf(id string) map[string]string { return map[string]string{"start": id, "tenant": "é"} }

// oldSign is the id and the data of an event that is too old.
const oldSign = "too old"

// isTooOld reports whether an item is one that nobody may apply.
func isTooOld(item *wire.Item) bool { return item.ID == oldSign }
