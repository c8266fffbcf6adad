package orchestrator

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
)

// patchError says that a history may agree with the code of another build: that
// of a patch which is being rolled out.
type patchError struct{ stuck *engine.StuckError }

func (e *patchError) Error() string {
	return fmt.Sprintf("host: left to a build that has the patch %q: %v", e.stuck.Patch, e.stuck)
}

func (e *patchError) Unwrap() error { return e.stuck }

// leaveToAnotherBuild returns a *patchError if the turn is to be left to a process
// of another build: the history has a patch that this build does not have, or the
// other way round, as happens in every rollout. Each message goes round for
// PatchWindow, counted from when a process first could not use it. After that the
// instance is stuck for this reason, for a patch whose code was taken out by
// mistake looks the same.
//
// It does not apply if something was committed for the messages in this turn
// already, or if the instance is stuck: then its wakes try again.
func (t *turn) leaveToAnotherBuild(ctx context.Context, stuck *engine.StuckError) error {
	if t.confirmed {
		return nil
	}
	if err := t.describeOnce(ctx); err != nil {
		return err
	}
	if t.Record == nil || t.swept() {
		return nil
	}
	for _, m := range t.group.open() {
		if since, _ := t.RoundSince(m); t.Clock.Now().Sub(since) >= t.Settings.Messages.PatchWindow {
			return nil
		}
	}
	return &patchError{stuck}
}

// anotherBuild sends the messages of a turn round for a build that has the patch.
func (o *maker) anotherBuild(ctx context.Context, g *group, err error) {
	cause, _ := errors.AsType[*patchError](err)
	o.Logger.InfoContext(ctx, "history has a patch that another build knows; the instance's messages go round until one that has it handles them",
		"instance", g.instance, "patch", cause.stuck.Patch, "error", cause.stuck)
	o.sendRound(ctx, g, func(m *inbox.Message) error {
		return o.SendRoundWithin(ctx, m, o.Settings.Messages.PatchWindow, "patch")
	})
}

// newer deals with an instance whose history holds what only another build
// knows: an event of a newer kind, or payloads under a codec that this one does
// not have. Nothing is written, and its messages go round the delay queue, as
// long as it takes, for a build that knows it.
func (o *maker) newer(ctx context.Context, g *group, cause error) {
	reason, text := "newer", "history was written by a newer build; its messages go round until one handles them"
	if edge.MissesCodec(cause) {
		reason, text = "codec", "payloads are sealed by a codec that this build does not have; the instance's messages go round until one that has it handles them"
	}
	o.Logger.WarnContext(ctx, text, "instance", g.instance, "error", cause)
	o.sendRound(ctx, g, func(m *inbox.Message) error { return o.Leave(ctx, m, reason) })
}

// sendRound sends round what is left of a group; what can't be sent is handed back.
func (o *maker) sendRound(ctx context.Context, g *group, send func(*inbox.Message) error) {
	for _, m := range g.open() {
		if err := send(m); err != nil {
			o.Logger.WarnContext(ctx, "message not sent round", "message_id", m.ID, "error", err)
			o.Fail(m, "queue")
		}
	}
}
