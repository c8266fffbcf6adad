package orchestrator

import (
	"context"
	"errors"

	"github.com/turnstile-go/turnstile/host/internal/dispatch"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/store"
)

// dispatch sends what an outbox has, but for what an earlier delivery of a
// message of this turn is known to have sent.
func (t *turn) dispatch(ctx context.Context, out *dispatch.Outbox) error {
	if t.Record != nil && t.Record.Dispatched != "" {
		var back []string
		for _, m := range inbox.Returning(t.group.messages) {
			back = append(back, m.ID)
		}
		out.Skip(t.Record.Dispatched, back)
	}
	if err := t.sender.Send(ctx, out); err != nil {
		t.keepProgress(ctx, out)
		return err
	}
	t.row = out.Row
	return nil
}

// keepProgress writes down how far a dispatch came that stopped short. That it
// can't costs time and nothing else.
func (t *turn) keepProgress(ctx context.Context, out *dispatch.Outbox) {
	open := t.group.open()
	if len(open) == 0 {
		return
	}
	text := out.Progress(open[0].ID)
	if text == "" || t.Record != nil && t.Record.Dispatched == text {
		return
	}
	change := store.RecordChange{If: store.RecordCondition{Exists: true}, Dispatched: &text, UpdatedAt: t.Clock.Now()}
	if err := t.change(ctx, change); err != nil && !errors.Is(err, store.ErrConflict) {
		t.Logger.WarnContext(ctx, "how far a dispatch came is not recorded, it begins from the start", "instance", t.Instance, "error", err)
	}
}
