package orchestrator

import (
	"context"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
)

// terminate ends the execution without running any code.
func (t *turn) terminate(ctx context.Context, m *inbox.Message) error {
	if t.foreignParent(m) {
		t.Settle(m, "misaddressed")
		return nil
	}
	if t.creating {
		// The start that is among the messages stands behind it.
		return t.early(ctx, m)
	}
	if n := m.Item.ExecutionID; n != 0 && n != t.execution || t.x.Ended() {
		t.Settle(m, "late")
		return nil
	}
	reason := m.Item.Reason
	if reason == "" {
		reason = "terminated"
	}
	if err := t.impose(ctx, nil, history.ImposedTerminated, m.Item.Actor, history.Failure{Kind: history.FailureTerminated, Message: reason}); err != nil {
		return err
	}
	t.Settle(m, "recorded")
	return nil
}

// impose ends the execution with an end that the code did not make, behind what a
// draft holds already; nil for nothing.
func (t *turn) impose(ctx context.Context, d *draft, imposed, actor string, f history.Failure) error {
	out, err := t.x.Impose(t.Clock.Now().UnixMilli(), imposed, actor, f)
	if err != nil {
		return err
	}
	if d == nil {
		d = newDraft(out)
	} else {
		d.goOn(&out)
	}
	// Its message is redelivered until the end is dispatched.
	d.messaged = true
	if err := t.project(ctx, d, wakes{}, true); err != nil {
		return err
	}
	return t.commitAndDispatch(ctx, d)
}
