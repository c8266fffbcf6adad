package orchestrator

import (
	"context"
	"slices"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/wire"
)

// brings reports whether one of the messages is the result, or the last failure, of
// this open activity: then a message that nothing was heard of it has no effect.
func (t *turn) brings(source int64) bool {
	return slices.ContainsFunc(t.group.open(), func(m *inbox.Message) bool {
		i := &m.Item
		return i.SourceEventID == source && (i.Kind == wire.ActivityCompleted || i.Kind == wire.ActivityFailed && !m.Unheard()) &&
			t.verdict(m).Kind == engine.Recorded
	})
}

// interrupted handles a message that nothing was heard of an attempt that runs at
// most once (unheard). Messages of an instance keep their order: a result that was
// sent before is in the history by now, and the activity no longer open. If the
// policy has another attempt, that is sent and the message settled; else the
// message is the activity's failure.
func (t *turn) interrupted(ctx context.Context, m *inbox.Message) error {
	if _, open := t.work[m.Item.SourceEventID]; !open || m.Item.Details == nil {
		return nil
	}
	if t.warm && !t.confirmed {
		return errRebuild // As in nextOf.
	}
	scheduled, err := t.Event(ctx, t.execution, m.Item.SourceEventID)
	if err != nil {
		return err
	}
	f := *m.Item.Details.History()
	if scheduled.Retry == nil || !scheduled.Retry.AtMostOnce {
		return nil
	}
	t.Observer.Count(host.CountAttempts, history.FailureInterrupted, 1)
	if !activity.Retryable(scheduled.Retry, &f, f.Attempt) {
		return nil
	}
	return t.nextOf(ctx, m, scheduled, &f, "interrupted")
}
