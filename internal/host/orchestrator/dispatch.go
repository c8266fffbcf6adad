package orchestrator

import (
	"context"
	"errors"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/store"
)

// outbox returns an empty one that goes on with the chain of this turn.
func (a *attempt) outbox() *dispatch.Outbox {
	out := a.sender.New()
	out.Chain = a.turn.Chain
	out.Chain.Arrived = a.turn.Group.Arrived
	return out
}

// sendAgain dispatches what earlier commits asked for.
func (a *attempt) sendAgain(ctx context.Context, again *deciding.Again) error {
	out := a.outbox()
	out.Now = again.Since
	for i := range again.Commits {
		out.Add(again.Commits[i])
	}
	if n := len(again.Commits); n > 0 {
		a.desk.Observer.Count(host.CountResent, "commit", n)
	}
	if err := a.dispatch(ctx, out); err != nil {
		return err
	}
	a.turn.Group.Dispatched(again.Commits)
	return nil
}

// dispatch sends what an outbox has, but for what an earlier delivery of a
// message of this turn is known to have sent (deciding.Group.Progress).
func (a *attempt) dispatch(ctx context.Context, out *dispatch.Outbox) error {
	t := &a.turn
	if r := t.View.Record; r != nil && r.Dispatched != "" {
		var back []string
		for _, m := range inbox.Returning(t.Group.Progress()) {
			back = append(back, m.ID)
		}
		out.Skip(r.Dispatched, back)
	}
	if err := a.sender.Send(ctx, out); err != nil {
		a.keepProgress(ctx, out)
		return err
	}
	a.sent.row = out.Row()
	return nil
}

// keepProgress writes down how far a dispatch came that stopped short. That it
// can't costs time and nothing else.
func (a *attempt) keepProgress(ctx context.Context, out *dispatch.Outbox) {
	t := &a.turn
	open := inbox.Left(t.Group.Progress())
	if len(open) == 0 {
		return
	}
	text := out.Progress(open[0].ID)
	if text == "" || t.View.Record != nil && t.View.Record.Dispatched == text {
		return
	}
	err := a.note(ctx, store.RecordChange{If: store.RecordCondition{Exists: true}, Dispatched: &text, UpdatedAt: a.desk.Clock.Now()})
	if err != nil {
		a.desk.Logger.WarnContext(ctx, "how far a dispatch came is not recorded, it begins from the start", "instance", t.View.Instance, "error", err)
	}
}

// noteLoop notes in the record when the instance was slowed, for those who look at it.
// A note that fails is made with the next pause.
func (a *attempt) noteLoop(ctx context.Context) {
	now := a.desk.Clock.Now()
	err := a.note(ctx, store.RecordChange{If: store.RecordCondition{Exists: true}, LoopedAt: &now, UpdatedAt: now})
	if err != nil {
		a.desk.Logger.WarnContext(ctx, "that the instance was slowed as a loop is not noted in its record", "instance", a.turn.View.Instance, "error", err)
	}
}

// note changes the record alone, where nothing depends on it.
func (a *attempt) note(ctx context.Context, c store.RecordChange) error {
	err := a.tables.Store.UpdateRecord(ctx, a.turn.View.Instance, c)
	if err == nil {
		a.turn.View.Changed(&c)
	}
	if errors.Is(err, store.ErrConflict) {
		return nil
	}
	return err
}
