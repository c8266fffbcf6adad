package delivery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// MoveToDead sends a message to a dead-letter queue with its original body, and with the reason as
// an attribute. On a FIFO queue the message keeps its group, and its deduplication id is its
// message id. item has whatever could be parsed from the body.
func MoveToDead(ctx context.Context, to queue.Queue, m *queue.Message, item *wire.Item, reason wire.Reason, text string, logger *slog.Logger) error {
	out := queue.Outgoing{Body: m.Body, Attributes: map[string]string{}}
	if out.Body == "" {
		out.Body = " " // A queue accepts no empty body.
	}
	if to.FIFO() {
		out.Group, out.DedupID = m.Group, m.ID
		if out.Group == "" {
			out.Group = wire.Group(item.Target())
		}
	}
	for name, value := range m.Attributes {
		if len(out.Attributes) < queue.MaxAttributes-1 && name != wire.RedriveAttribute {
			out.Attributes[name] = value
		}
	}
	FitReason(&out, reason, text)
	if err := to.Send(ctx, out); err != nil {
		return fmt.Errorf("host: could not move message %s (%s) to the dead-letter queue: %w", m.ID, reason, err)
	}
	logger.WarnContext(LogContext(ctx, item), "message moved to the dead-letter queue", "message_id", m.ID, "reason", string(reason), "text", text,
		"instance", item.Target(), "kind", string(item.Kind))
	return nil
}

// FitReason adds the reason as an attribute. If body and reason do not fit into one message, the
// reason is cut and the body stays whole; the log has the whole reason.
func FitReason(out *queue.Outgoing, reason wire.Reason, text string) {
	delete(out.Attributes, wire.ReasonAttribute)
	bare := maps.Clone(out.Attributes)
	value := queue.Printable(reason.Attribute(text))
	for len(value) > 0 {
		out.Attributes[wire.ReasonAttribute] = value
		over := out.Size() - queue.MaxBody
		if over <= 0 {
			return
		}
		value = strings.ToValidUTF8(value[:max(len(value)-over, 0)], "")
	}
	out.Attributes = bare
	if out.Size() > queue.MaxBody {
		out.Attributes = nil
	}
}

// ReasonOf returns the reason for a body that cannot be parsed.
func ReasonOf(err error) wire.Reason {
	var parse *wire.ParseError
	if errors.As(err, &parse) {
		return parse.Reason
	}
	return wire.ReasonMalformed
}
