package orchestrator

import (
	"context"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/backoff"
	"github.com/turnstile-go/turnstile/host/internal/delivery"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/wire"
)

// newer deals with an instance whose history holds what only another build
// knows: an event of a newer kind, or payloads under a codec that this one does
// not have. Nothing is written, and its messages go round the delay queue, as
// long as it takes, for a build that knows it.
func (o *Orchestrator) newer(ctx context.Context, g *group, cause error) {
	text := "history was written by a newer build; its messages go round until one handles them"
	if edge.MissesCodec(cause) {
		text = "payloads are sealed by a codec that this build does not have; the instance's messages go round until one that has it handles them"
	}
	o.Logger.WarnContext(ctx, text, "instance", g.instance, "error", cause)
	for _, m := range g.open() {
		if err := o.goRound(ctx, m, newerReason(cause)); err != nil {
			o.Logger.WarnContext(ctx, "message not sent round", "message_id", m.ID, "error", err)
			o.fail(m, "queue")
		}
	}
}

// goRound sends a message round for another build, and settles it.
func (o *Orchestrator) goRound(ctx context.Context, m *message, reason string) error {
	due := o.Clock.Now().Add(backoff.Grown(o.Settings.NewerFirst, o.Settings.NewerMax, m.item.Hops))
	if err := o.sendRound(ctx, &m.item, due, roundMark(m)); err != nil {
		return err
	}
	o.Observer.Count(host.CountDelayed, reason, 1)
	m.state = settled
	return nil
}

func newerReason(err error) string {
	if edge.MissesCodec(err) {
		return "codec"
	}
	return "newer"
}

// letIn makes a message's payloads plain. One that is sealed by a codec which
// this process does not have goes round; one that is damaged is a dead letter.
//
// So does a start that forks an instance from another: this build can't, and
// would begin it from nothing.
func (o *Orchestrator) letIn(ctx context.Context, m *message) error {
	if m.item.Kind == wire.StartOrchestration && m.item.Origin != nil {
		o.Logger.WarnContext(ctx, "start has an origin, which is for a newer build; it goes round until one that forks instances handles it",
			"instance", m.item.Target(), "message_id", m.ID)
		return o.goRound(ctx, m, "newer")
	}
	err := o.edge.Open(&m.item)
	switch {
	case err == nil:
		return nil
	case edge.MissesCodec(err):
		o.Logger.WarnContext(ctx, "message is sealed by a codec that this build does not have; it goes round until one that has it handles it",
			"instance", m.item.Target(), "message_id", m.ID, "error", err)
		return o.goRound(ctx, m, "codec")
	case delivery.ReasonOf(err) == wire.ReasonTooLarge:
		return o.deadLetter(ctx, m, wire.ReasonTooLarge, err.Error())
	}
	return o.deadLetter(ctx, m, wire.ReasonDamaged, err.Error())
}
