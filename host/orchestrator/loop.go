package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/dispatch"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// outbox returns an empty one that goes on with the chain of this turn.
func (t *turn) outbox() *dispatch.Outbox {
	out := t.sender.New()
	out.Chain = t.chain
	out.Chain.Arrived = t.arrived
	return out
}

// chain is what the wakes of a group go on with: a turn that was cut short. What such a
// turn had begun joins the round that this one makes.
func (g *group) chain() dispatch.Chain {
	var c dispatch.Chain
	for _, m := range g.messages {
		if m.Item.Kind == wire.Wake {
			c.Depth = max(c.Depth, m.Item.Depth)
		}
	}
	c.Open = c.Depth > 0
	return c
}

// arrived returns the depth of the message that brought an event; false where none of
// this turn has.
func (t *turn) arrived(c *store.Turn, e *history.Event) (depth int, ok bool) {
	for _, m := range t.group.messages {
		if brings(&m.Item, c.ExecutionID, e) {
			return m.Item.Depth, true
		}
	}
	return 0, false
}

// brings reports whether an event of an execution is what an item says.
func brings(i *wire.Item, execution int64, e *history.Event) bool {
	switch e.Kind {
	case history.OrchestrationStarted, history.ParentAttached:
		return i.Kind == wire.StartOrchestration && e.Start != nil && (e.Start.StartID == i.ID || e.Kind == history.ParentAttached && i.Parent != nil &&
			e.Start.Parent != nil && *e.Start.Parent == *recordedParent(i.Parent))
	case history.ExternalEvent, history.OrchestrationCancelRequested:
		return i.ID != "" && e.SenderID == i.ID
	}
	return i.SourceEventID != 0 && i.SourceEventID == e.SourceEventID && i.TargetExecution() == execution
}

// goOnSlowly sends the wake of a turn that continues as new in a loop, behind a pause.
func (t *turn) goOnSlowly(ctx context.Context, wake *wire.Item, pause time.Duration) error {
	now := t.Clock.Now()
	wake.Stamp(now)
	if err := t.SendLater(ctx, wake, now.Add(pause), nil); err != nil {
		return err
	}
	t.Logger.WarnContext(ctx, "loop without a pause: the instance goes on later; continue as new behind a timer or an activity, or raise Settings.Loop.Depth",
		"instance", t.Instance, "execution_id", t.execution, "depth", wake.Depth, "pause", pause.String(), "limit", t.Settings.Loop.Depth)
	t.Observer.Count(host.CountLooping, "continue as new", 1)
	t.noteLoop(ctx, true)
	return nil
}

// noteLoop notes in the record when the instance was slowed, for those who look at it.
// A note that fails is made with the next pause.
func (t *turn) noteLoop(ctx context.Context, slowed bool) {
	if !slowed {
		return
	}
	now := t.Clock.Now()
	change := store.RecordChange{If: store.RecordCondition{Exists: true}, LoopedAt: &now, UpdatedAt: now}
	if err := t.change(ctx, change); err != nil && !errors.Is(err, store.ErrConflict) {
		t.Logger.WarnContext(ctx, "that the instance was slowed as a loop is not noted in its record", "instance", t.Instance, "error", err)
	}
}

// overLoop reports whether a message would take the instance on that goes beyond the
// depth of loops, where that fails it.
func (t *turn) overLoop(arrivals []*inbox.Message, w wakes) bool {
	s := &t.Settings.Loop
	if !s.Fail {
		return false
	}
	if w.run && s.Beyond(t.chain.Depth) {
		return true
	}
	for _, m := range arrivals {
		if s.Beyond(m.Item.Depth) && t.verdict(m).Kind == engine.Recorded {
			return true
		}
	}
	return false
}

// imposeLoop fails an instance that loops without a pause. As in imposeLongHistory the
// arrivals are recorded ahead of the end.
func (t *turn) imposeLoop(ctx context.Context, arrivals []*inbox.Message) error {
	q := &arrivalQueue{pending: arrivals}
	d, err := t.run(ctx, q, true)
	if err != nil {
		return err
	}
	if err := t.impose(ctx, d, history.ImposedLimit, "", history.Failure{
		Kind: history.FailureLimit, Source: t.started().Name, Message: fmt.Sprintf(
			"instance %q execution %d goes on without a pause: more than %d turns in a row have followed from each other, by events, starts or continue-as-new, without a timer or the result of a queued activity (Settings.Loop)",
			t.Instance, t.execution, t.Settings.Loop.Depth)}); err != nil {
		return err
	}
	t.Observer.Count(host.CountLooping, "failed", 1)
	return t.settleAll(ctx, q.decided)
}
