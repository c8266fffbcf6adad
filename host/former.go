package host

import (
	"context"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// resendFormer sends again what messages that come back may not have sent in
// the life before a purge. Their commits stand in the hidden history until the
// grace is over, and nobody else answers for them: whatever purged the
// instance knew nothing of their dispatch, and may have begun it anew since.
//
// The messages are not settled by it. A sender's id that was used in both
// lives says nothing about the new one.
func (t *turn) resendFormer(ctx context.Context, messages []*message) error {
	last := t.lastFormer()
	messages = slices.DeleteFunc(messages, func(m *message) bool { return m.item.UpToExecution > 0 }) // A deletion asks for nothing else.
	if last < 1 || len(messages) == 0 {
		return nil
	}
	turns, err := t.read(ctx, last)
	if corrupt(err) || err == nil && len(turns) == 0 {
		return nil // deleted, or being deleted
	}
	if err != nil {
		return err
	}
	former := &turn{Orchestrator: t.Orchestrator, group: t.group, histories: t.histories, described: true,
		record: &store.Record{Instance: t.group.instance, ExecutionID: last, Purged: true, Dispatched: t.record.Dispatched}}
	if err := former.feed(last, turns); err != nil {
		// What can't be replayed ended the more surely: only the marks of its
		// turns are looked at.
		former.x, former.execution = nil, last
	} else {
		defer former.x.Close()
	}
	out := former.newResending()
	for _, m := range messages {
		at, ok, err := former.locateFormer(ctx, m)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := out.from(ctx, at); err != nil && !corrupt(err) {
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

func (t *turn) locateFormer(ctx context.Context, m *message) (place, bool, error) {
	if m.item.Kind == wire.ActivityPending {
		// It may have become the failure that stands there.
		t.failPending(m, history.Failure{Kind: history.FailureTotalTimeout})
	}
	if !m.records() {
		return t.locateCaused(ctx, m)
	}
	if t.x == nil {
		return place{}, false, nil
	}
	if m.item.Kind == wire.StartOrchestration {
		if err := t.findFirst(ctx); err != nil {
			return place{}, false, err
		}
	}
	at, ok, err := t.locate(ctx, m)
	if corrupt(err) {
		return place{}, false, nil
	}
	return at, ok, err
}

// findFirst finds the first execution of a life whose record is gone: the
// fact of its start stands there.
func (t *turn) findFirst(ctx context.Context) error {
	first := t.execution
	for ; first > 1; first-- {
		before, err := t.read(ctx, first-1)
		if err != nil && !corrupt(err) {
			return err
		}
		if err != nil || !continuedAsNew(before) {
			break
		}
	}
	t.record.FirstExecution = first
	return nil
}
