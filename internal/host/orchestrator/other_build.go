package orchestrator

import (
	"context"
	"errors"

	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
)

// anotherBuild sends the messages of a turn round for a build that has the patch.
func (o *maker) anotherBuild(ctx context.Context, g *deciding.Group, err error) {
	cause, _ := errors.AsType[*deciding.PatchError](err)
	o.desk.Logger.InfoContext(ctx, "history has a patch that another build knows; the instance's messages go round until one that has it handles them",
		"instance", g.Instance, "patch", cause.Stuck.Patch, "error", cause.Stuck)
	o.sendRound(ctx, g, func(m *inbox.Message) error {
		return o.desk.SendRoundWithin(ctx, m, o.desk.Settings.Messages.PatchWindow, "patch")
	})
}

// newer deals with an instance whose history holds what only another build
// knows: an event of a newer kind, or payloads under a codec that this one does
// not have. Nothing is written, and its messages go round the delay queue, as
// long as it takes, for a build that knows it.
func (o *maker) newer(ctx context.Context, g *deciding.Group, cause error) {
	reason, text := "newer", "history was written by a newer build; its messages go round until one handles them"
	if edge.MissesCodec(cause) {
		reason, text = "codec", "payloads are sealed by a codec that this build does not have; the instance's messages go round until one that has it handles them"
	}
	o.desk.Logger.WarnContext(ctx, text, "instance", g.Instance, "error", cause)
	o.sendRound(ctx, g, func(m *inbox.Message) error { return o.desk.Leave(ctx, m, reason) })
}

// sendRound sends round what is left of a group; what can't be sent is handed back.
func (o *maker) sendRound(ctx context.Context, g *deciding.Group, send func(*inbox.Message) error) {
	for _, m := range g.Open() {
		if err := send(m); err != nil {
			o.desk.Logger.WarnContext(ctx, "message not sent round", "message_id", m.ID, "error", err)
			o.desk.Fail(m, "queue")
		}
	}
}
