package sweep

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Delete handles messages of one instance that request the deletion of histories. They cause no
// turn, because they write no history and no turn reads what they delete. Each message is settled
// or returned to its queue.
func (k *Keeper) Delete(ctx context.Context, messages []*inbox.Message) {
	for _, m := range messages {
		if !clock.HasTime(ctx, k.Clock, k.Settings.Turn.MinRemaining) {
			k.Fail(m, "no time")
			continue
		}
		if err := k.delete(ctx, m); err != nil {
			k.Logger.WarnContext(ctx, "could not delete the histories; the message returns to the queue", "instance", m.Item.Instance, "up_to", m.Item.UpToExecution, "error", err)
			word := delivery.Word(err, dispatch.ErrUnsent)
			if errors.Is(err, store.ErrConflict) {
				word = "conflict"
			}
			k.Fail(m, word)
		}
	}
}

// delete handles one message. It deletes what a purge or a prune has hidden, or first prunes
// executions that can be pruned.
func (k *Keeper) delete(ctx context.Context, m *inbox.Message) error {
	r, err := k.Store.Describe(ctx, m.Item.Instance)
	missing := errors.Is(err, store.ErrNotFound)
	if err != nil && !missing {
		return fmt.Errorf("host: reading the record of instance %q: %w", m.Item.Instance, err)
	}
	switch item := m.Item; {
	case !missing && k.mayPrune(&r, item.UpToExecution):
		return k.prune(ctx, m, &r)
	case missing || r.Purged && r.Highest() < item.UpToExecution || !r.Purged && r.FirstExecution <= item.UpToExecution:
		// The instance is not hidden, so it was never purged.
		k.Settle(m, "purge_refused")
		return nil
	case item.NotBeforeMS == 0:
		// A sender that is not a turn, such as an operator, does not know when
		// the instance ended.
		due := k.Clock.Now().Add(k.Settings.Purge.Grace)
		item.NotBeforeMS = due.UnixMilli()
		return k.Requeue(ctx, m, item, due, "grace")
	default:
		return k.deleteHistories(ctx, m, item, missing || r.Purged)
	}
}

// deleteHistories deletes in pages. It can be interrupted: a partly deleted history never looks
// like a valid one, and the item that is then sent continues the deletion. whole is set for a purge,
// which also deletes the answers to updates.
func (k *Keeper) deleteHistories(ctx context.Context, m *inbox.Message, item wire.Item, whole bool) error {
	for {
		done, err := k.Store.DeleteHistory(ctx, item.Instance, item.UpToExecution, k.Settings.Purge.Page)
		if done && err == nil && whole {
			done, err = k.Store.DeleteAnswers(ctx, item.Instance, k.Settings.Purge.Page)
		}
		if err != nil {
			return fmt.Errorf("host: could not delete the history of instance %q: %w", item.Instance, err)
		}
		if done {
			k.Settle(m, "deleted")
			return nil
		}
		if !clock.HasTime(ctx, k.Clock, k.Settings.Turn.MinRemaining) {
			item.Hops++
			return k.Follow(ctx, m, &item, "deleting")
		}
	}
}
