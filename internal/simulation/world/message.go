package world

import (
	"github.com/turnstile-go/turnstile/internal/wire"
)

// message is a parsed body: as it was sent, and with decoded payloads once these were requested.
type message struct {
	Encoded wire.Item
	item    *wire.Item
}

// Message parses a message; each body only once.
func (w *World) Message(body string) (*message, error) {
	if w.lastMessage != nil && body == w.lastBody {
		return w.lastMessage, nil // The same message is requested several times in a row.
	}
	m := w.messages[body]
	if m == nil {
		m = &message{}
		var err error
		if m.Encoded, err = wire.Parse(wire.Unwrap([]byte(body))); err != nil {
			return nil, err
		}
		w.messages[body] = m
	}
	w.lastBody, w.lastMessage = body, m
	return m, nil
}

// Item returns the work item of a message.
func (w *World) Item(body string) (*wire.Item, error) {
	m, err := w.Message(body)
	switch {
	case err != nil:
		return nil, err
	case m.item != nil:
	case m.Encoded.Codec == "":
		m.item = &m.Encoded
	default:
		opened, err := w.Encoding.World.DecodeItem(m.Encoded)
		if err != nil {
			return nil, err
		}
		m.item = &opened
	}
	return m.item, nil
}

// Opens reports whether a process has the key of a message, if it is encoded.
func (w *World) Opens(p *Process, body string) bool {
	m, err := w.Message(body)
	if err != nil || m.Encoded.Codec == "" {
		return err == nil
	}
	_, err = p.codecs.DecodeItem(m.Encoded)
	return err == nil
}
