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
	cause := t.group.tooLarge
	var recorded history.Event
	if t.creating {
		start := t.newStart(t.group.open())
		in, err := t.input([]*inbox.Message{start}, true)
		if err != nil {
			return err
		}
		in.Arrivals[0].With = nil
		out, err := t.x.Run(in)
		if err != nil {
			return err
		}
		recorded = out.Events[0]
	}
	out, err := t.x.Impose(t.Clock.Now().UnixMilli(), history.ImposedLimit, "", history.Failure{
		Kind: history.FailureTooLarge, Message: cause.Error(), Source: t.started().Name})
	if err != nil {
		return err
	}
	d := newDraft(out)
	if t.creating {
		d.Events = append([]history.Event{recorded}, d.Events...)
	}
	d.messaged = true
	if err := t.commitImposed(ctx, d); err != nil {
		var still *store.TooLargeError
		if !errors.As(err, &still) {
			return err
		}
		for _, m := range t.group.open() {
			if err := t.DeadLetter(ctx, m, wire.ReasonTooLarge, fmt.Sprintf("no turn can hold it: %v", still)); err != nil {
				return err
			}
		}
		return nil
	}
	for _, m := range t.group.open() {
		t.Settle(m, "too_large")
	}
	return nil
}
