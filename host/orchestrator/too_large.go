package orchestrator

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// imposeTooLarge fails an instance whose turn can't be committed atomically,
// although each part of it is allowed. Running it again would give the same
// turn, so there is no redelivery loop; its neighbours go on.
func (t *turn) imposeTooLarge(ctx context.Context) error {
	var d *draft
	if t.creating {
		in, err := t.input([]*inbox.Message{newStart(t.Record, t.group.open())}, true)
		if err != nil {
			return err
		}
		in.Arrivals[0].With = nil
		out, err := t.x.Run(in)
		if err != nil {
			return err
		}
		d = newDraft(out)
	}
	err := t.impose(ctx, d, history.ImposedLimit, "", history.Failure{
		Kind: history.FailureTooLarge, Message: t.group.tooLarge.Error(), Source: t.started().Name})
	still, again := errors.AsType[*store.TooLargeError](err)
	if err != nil && !again {
		return err
	}
	for _, m := range t.group.open() {
		if !again {
			t.Settle(m, "too_large")
		} else if err := t.DeadLetter(ctx, m, wire.ReasonTooLarge, fmt.Sprintf("no turn can hold it: %v", still)); err != nil {
			return err
		}
	}
	return nil
}
