package orchestrator

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host/internal/backoff"
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
	if t.confirmed || t.creating || t.killer {
		return nil
	}
	if err := t.describeOnce(ctx); err != nil {
		return err
	}
	if t.Record == nil || t.Record.Problem != nil {
		return nil
	}
	open := t.group.open()
	for _, m := range open {
		if since, _ := t.RoundSince(m); t.Clock.Now().Sub(since) >= t.Settings.Messages.PatchWindow {
			return nil
		}
	}
	if len(open) == 0 {
		return nil
	}
	return &patchError{stuck}
}

// anotherBuild sends the messages of a turn round for a build that has the
// patch.
func (o *maker) anotherBuild(ctx context.Context, g *group, err error) {
	cause, _ := errors.AsType[*patchError](err)
	o.Logger.InfoContext(ctx, "history has a patch that another build knows; the instance's messages go round until one that has it handles them",
		"instance", g.instance, "patch", cause.stuck.Patch, "error", cause.stuck)
	for _, m := range g.open() {
		since, begins := o.RoundSince(m)
		if begins {
			m.Item.FirstSeenMS, m.Item.Hops = since.UnixMilli(), 0
		}
		due := o.Clock.Now().Add(backoff.Grown(o.Settings.Messages.EarlyFirst, o.Settings.Messages.EarlyMax, m.Item.Hops))
		if end := since.Add(o.Settings.Messages.PatchWindow); due.After(end) {
			due = end
		}
		if err := o.SendRound(ctx, m, m.Item, due, "patch"); err != nil {
			o.Logger.WarnContext(ctx, "message not sent round", "message_id", m.ID, "error", err)
			o.Fail(m, "queue")
		}
	}
}
