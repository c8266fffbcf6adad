package world

import (
	"github.com/turnstile-go/turnstile/internal/wire"
)

// says completes an item of a client. It derives the requester from the item's id, so that the
// checker recognizes the requester.
func (w *World) says(item *wire.Item) {
	if item.SentMS == 0 {
		item.SentMS = w.Clock.Now().UnixMilli()
	}
	if item.ID == "" {
		return
	}
	item.Actor = ActorOf(item.ID)
	if item.Kind == wire.StartOrchestration {
		item.Headers = HeadersOf(item.ID)
	}
	note(&w.Said, item.ID, true)
}

func ActorOf(id string) string { return "client of " + id }

func HeadersOf(id string) map[string]string { return map[string]string{"start": id, "tenant": "é"} }

// OldSign is the id and the data of an event that is too old.
const OldSign = "too old"

// IsTooOld reports whether an item is too old to be applied.
func IsTooOld(item *wire.Item) bool { return item.ID == OldSign }
