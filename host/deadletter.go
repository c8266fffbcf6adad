package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// deadLetter moves a message to its final dead-letter queue and settles it: it
// blocks nobody, and nothing is lost. It keeps its group and its body, which
// is the one it came with; its deduplication id is its message id.
func (o *Orchestrator) deadLetter(ctx context.Context, m *message, reason wire.Reason, text string) error {
	to := o.Queues.DeadStandard
	if m.Source == SourceOrchestrator {
		to = o.Queues.DeadFIFO
	}
	if err := moveToDead(ctx, to, m, reason, text, o.Logger); err != nil {
		return err
	}
	m.state = settled
	o.Observer.Count(CountDeadLettered, string(reason), 1)
	return nil
}

func moveToDead(ctx context.Context, to queue.Queue, m *message, reason wire.Reason, text string, logger *slog.Logger) error {
	out := queue.Outgoing{Body: m.Body, Attributes: map[string]string{}}
	if out.Body == "" {
		out.Body = " " // A queue takes no empty body.
	}
	if to.FIFO() {
		out.Group, out.DedupID = m.Group, m.ID
		if out.Group == "" {
			out.Group = wire.Group(m.item.Target())
		}
	}
	for name, value := range m.Attributes {
		if len(out.Attributes) < queue.MaxAttributes-1 && name != RedriveAttribute {
			out.Attributes[name] = value
		}
	}
	fitReason(&out, reason, text)
	if err := to.Send(ctx, out); err != nil {
		return fmt.Errorf("host: message %s (%s) not moved to the dead-letter queue: %w", m.ID, reason, err)
	}
	logger.WarnContext(aboutItem(ctx, &m.item), "message moved to the dead-letter queue", "message_id", m.ID, "reason", string(reason), "text", text,
		"instance", m.item.Target(), "kind", string(m.item.Kind))
	return nil
}

// fitReason puts the reason beside the body. Where they don't fit together the
// body stays as it is and the reason is cut; the log has all of it.
func fitReason(out *queue.Outgoing, reason wire.Reason, text string) {
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

// reasonOf returns the word for a body that can't be parsed.
func reasonOf(err error) wire.Reason {
	var parse *wire.ParseError
	if errors.As(err, &parse) {
		return parse.Reason
	}
	return wire.ReasonMalformed
}

// hasReason reports whether a reason attribute begins with that word.
func hasReason(attribute string, reason wire.Reason) bool {
	return strings.HasPrefix(attribute, string(reason)+":")
}
