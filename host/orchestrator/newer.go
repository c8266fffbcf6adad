package orchestrator

import (
	"context"

	"github.com/turnstile-go/turnstile/host/internal/edge"
)

// newer deals with an instance whose history holds what only another build
// knows: an event of a newer kind, or payloads under a codec that this one does
// not have. Nothing is written, and its messages go round the delay queue, as
// long as it takes, for a build that knows it.
func (o *maker) newer(ctx context.Context, g *group, cause error) {
	text := "history was written by a newer build; its messages go round until one handles them"
	if edge.MissesCodec(cause) {
		text = "payloads are sealed by a codec that this build does not have; the instance's messages go round until one that has it handles them"
	}
	o.Logger.WarnContext(ctx, text, "instance", g.instance, "error", cause)
	for _, m := range g.open() {
		if err := o.Leave(ctx, m, newerReason(cause)); err != nil {
			o.Logger.WarnContext(ctx, "message not sent round", "message_id", m.ID, "error", err)
			o.Fail(m, "queue")
		}
	}
}

func newerReason(err error) string {
	if edge.MissesCodec(err) {
		return "codec"
	}
	return "newer"
}
