package world

import (
	"github.com/turnstile-go/turnstile/internal/wire"
)

// message is what the body of one says: as it was sent, and with plain payloads
// once somebody has asked for it.
type message struct {
	Sealed wire.Item
	item   *wire.Item
}

// Message parses a message, each once.
func (w *World) Message(body string) (*message, error) {
	if w.lastMessage != nil && body == w.lastBody {
		return w.lastMessage, nil // It is asked for several times in a row.
	}
	m := w.messages[body]
	if m == nil {
		m = &message{}
		var err error
		if m.Sealed, err = wire.Parse(wire.Unwrap([]byte(body))); err != nil {
			return nil, err
		}
		w.messages[body] = m
	}
	w.lastBody, w.lastMessage = body, m
	return m, nil
}

// Item is what a message says.
func (w *World) Item(body string) (*wire.Item, error) {
	m, err := w.Message(body)
	switch {
	case err != nil:
		return nil, err
	case m.item != nil:
	case m.Sealed.Codec == "":
		m.item = &m.Sealed
	default:
		opened, err := w.Sealing.World.OpenItem(m.Sealed)
		if err != nil {
			return nil, err
		}
		m.item = &opened
	}
	return m.item, nil
}
