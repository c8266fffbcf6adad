package orchestrator

import (
	"context"
	"strings"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/delivery"
	"github.com/turnstile-go/turnstile/wire"
)

// deadLetter moves a message to its final dead-letter queue and settles it: it
// blocks nobody, and nothing is lost. It keeps its group and its body, which
// is the one it came with; its deduplication id is its message id.
func (o *Orchestrator) deadLetter(ctx context.Context, m *message, reason wire.Reason, text string) error {
	to := o.Queues.DeadStandard
	if m.Source == host.SourceOrchestrator {
		to = o.Queues.DeadFIFO
	}
	if err := delivery.MoveToDead(ctx, to, &m.Message, &m.item, reason, text, o.Logger); err != nil {
		return err
	}
	m.state = settled
	o.Observer.Count(host.CountDeadLettered, string(reason), 1)
	return nil
}

// hasReason reports whether a reason attribute begins with that word.
func hasReason(attribute string, reason wire.Reason) bool {
	return strings.HasPrefix(attribute, string(reason)+":")
}
