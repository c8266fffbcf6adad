package host

import (
	"context"
	"slices"

	"github.com/turnstile-go/turnstile/store"
)

// resendFormer sends again what redriven messages may not have sent in the life
// before a purge: a queue had thrown them out between their commit and its dispatch,
// and the purge went past them. Their commits stand in the hidden history until the
// grace is over. All others of a group are done when a purge is handled.
//
// The messages are not settled by it. A sender's id that was used in both lives says
// nothing about the new one.
func (t *turn) resendFormer(ctx context.Context, messages []*message) error {
	last := t.lastFormer()
	messages = slices.DeleteFunc(slices.Clone(messages), func(m *message) bool {
		return !m.redriven() || m.item.UpToExecution > 0 || m.item.TargetExecution() > last // A deletion asks for nothing else.
	})
	if last < 1 || len(messages) == 0 {
		return nil
	}
	former := &turn{Orchestrator: t.Orchestrator, group: t.group, histories: t.histories, described: true, execution: last,
		record: &store.Record{Instance: t.group.instance, ExecutionID: last, Purged: true, Dispatched: t.record.Dispatched}}
	out := former.newResending()
	for _, m := range messages {
		if err := former.findFirst(ctx, out); err != nil {
			return err
		}
		if err := out.everything(ctx, m.item.TargetExecution()); err != nil {
			return err
		}
	}
	return out.flush(ctx)
}

// lastFormer returns the last execution of the life before the current one; 0
// if there was none.
func (t *turn) lastFormer() int64 {
	switch r := t.record; {
	case r == nil:
		return 0
	case r.Purged:
		return r.ExecutionID
	default:
		return r.FirstExecution - 1
	}
}

// findFirst finds the first execution of a life whose record is gone.
func (t *turn) findFirst(ctx context.Context, out *resending) error {
	first := t.execution
	for ; first > max(1, t.execution-furthestBack); first-- {
		before, err := out.read(ctx, first-1)
		if err != nil {
			return err
		}
		if !continuedAsNew(before) {
			break
		}
	}
	t.record.FirstExecution = first
	return nil
}
