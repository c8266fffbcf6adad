package simulation

import (
	"github.com/turnstile-go/turnstile/wire"
)

// message is what the body of one says: as it was sent, and with plain payloads
// once somebody has asked for it.
type message struct {
	sealed wire.Item
	item   *wire.Item
}

// message parses a message, each once.
func (w *World) message(body string) (*message, error) {
	if w.lastMessage != nil && body == w.lastBody {
		return w.lastMessage, nil // It is asked for several times in a row.
	}
	m := w.messages[body]
	if m == nil {
		m = &message{}
		var err error
		if m.sealed, err = wire.Parse(wire.Unwrap([]byte(body))); err != nil {
			return nil, err
		}
		w.messages[body] = m
	}
	w.lastBody, w.lastMessage = body, m
	return m, nil
}

// item is what a message says.
func (w *World) item(body string) (*wire.Item, error) {
	m, err := w.message(body)
	switch {
	case err != nil:
		return nil, err
	case m.item != nil:
	case m.sealed.Codec == "":
		m.item = &m.sealed
	default:
		opened, err := w.sealing.world.OpenItem(m.sealed)
		if err != nil {
			return nil, err
		}
		m.item = &opened
	}
	return m.item, nil
}
