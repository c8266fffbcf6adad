package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	attempts "github.com/turnstile-go/turnstile/internal/host/attempt"
	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// sending sends the messages of a turn.
type sending struct {
	*services
	known deciding.Known
	sent  sent
}

// outbox returns an empty outbox that continues the chain of this turn.
func (a *sending) outbox() *dispatch.Outbox {
	out := a.sender.New()
	out.Chain = a.known.Chain
	out.Chain.Arrived, out.Chain.Started = a.known.Group.Arrived, a.known.Running.Started().AtMS
	return out
}

// sendAgain dispatches the messages of earlier commits again.
func (a *sending) sendAgain(ctx context.Context, again *deciding.Again) error {
	out := a.outbox()
	out.Now = again.Since
	for i := range again.Commits {
		out.Add(again.Commits[i])
	}
	if n := len(again.Commits); n > 0 {
		a.settler.Observer.Count(host.CountResent, "commit", n)
	}
	if err := a.dispatch(ctx, out); err != nil {
		return err
	}
	a.known.Group.Dispatched(again.Commits)
	return nil
}

// dispatch sends the messages of an outbox, except those that an earlier delivery of a message of
// this turn is known to have sent (deciding.Group.Progress).
func (a *sending) dispatch(ctx context.Context, out *dispatch.Outbox) error {
	t := &a.known
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

// keepProgress stores the progress of a dispatch that stopped. A failure only costs time.
func (a *sending) keepProgress(ctx context.Context, out *dispatch.Outbox) {
	t := &a.known
	open := inbox.Left(t.Group.Progress())
	if len(open) == 0 {
		return
	}
	text := out.Progress(open[0].ID)
	if text == "" || t.View.Record != nil && t.View.Record.Dispatched == text {
		return
	}
	err := a.note(ctx, store.RecordChange{If: store.RecordCondition{Exists: true}, Dispatched: &text, UpdatedAt: a.settler.Clock.Now()})
	if err != nil {
		a.settler.Logger.WarnContext(ctx, "could not record the progress of a dispatch; the dispatch will start over", "instance", t.View.Instance, "error", err)
	}
}

// noteLoop notes in the record, for operators, when the instance was slowed. If the write fails,
// the next pause is noted instead.
func (a *sending) noteLoop(ctx context.Context) {
	now := a.settler.Clock.Now()
	err := a.note(ctx, store.RecordChange{If: store.RecordCondition{Exists: true}, LoopedAt: &now, UpdatedAt: now})
	if err != nil {
		a.settler.Logger.WarnContext(ctx, "cannot note in the record that the instance was slowed down because it loops", "instance", a.known.View.Instance, "error", err)
	}
}

// note makes a change of the record on which no other state depends.
func (a *sending) note(ctx context.Context, c store.RecordChange) error {
	err := a.tables.Store.UpdateRecord(ctx, a.known.View.Instance, c)
	if err == nil {
		a.known.View.Changed(&c)
	}
	if errors.Is(err, store.ErrConflict) {
		return nil
	}
	return err
}

// send sends messages that belong to no commit.
func (a *sending) send(ctx context.Context, s *deciding.Sending) error {
	switch {
	case s.Parents != nil:
		return a.notifyParents(ctx, s.Parents)
	case s.Limits != nil:
		return a.sendLimits(ctx, s.Limits)
	case s.Attempt != nil:
		return a.sendAttempt(ctx, s.Attempt)
	case s.Beat != nil:
		return a.keepBeat(ctx, s.Beat)
	case s.Unreported != "":
		return a.reportUnreported(ctx, s.Unreported)
	case s.Prune > 0:
		a.askForPrune(ctx, s.Prune)
		return nil
	case s.Deletion != nil:
		return a.scheduleDeletion(ctx, s.Deletion)
	case s.Reply != nil:
		return a.reply(ctx, s.Reply)
	}
	return a.continueLater(ctx, s.Continue)
}

// reply answers an update that is not recorded.
func (a *sending) reply(ctx context.Context, r *deciding.Reply) error {
	out := a.outbox()
	out.Answer(&dispatch.Commit{Turn: &store.Turn{Instance: a.known.View.Instance}, Start: &history.Start{StartID: r.StartID}}, &r.Event)
	return a.sender.Send(ctx, out)
}

// notifyParents notifies the parents that wait for an instance.
func (a *sending) notifyParents(ctx context.Context, p *deciding.Parents) error {
	out := a.sender.New()
	if p.Chained {
		out = a.outbox()
		out.Chain.Depth = p.Depth
	}
	for _, parent := range p.Of {
		out.Parent(parent, a.known.View.Instance, p.Name, p.End, nil)
	}
	return a.sender.Send(ctx, out)
}

// sendLimits sends messages that arrive when a time limit may be over.
func (a *sending) sendLimits(ctx context.Context, l *deciding.Limits) error {
	out := a.sender.New()
	out.Now = l.Since
	for i, due := range l.Dues {
		out.Limit(l.Items[i], due)
	}
	if err := a.sender.Send(ctx, out); err != nil {
		return fmt.Errorf("host: time limits of pending activities of instance %q execution %d: %w", a.known.View.Instance, a.known.Running.Execution, err)
	}
	return nil
}

// sendAttempt sends the next attempt of an activity.
func (a *sending) sendAttempt(ctx context.Context, s *deciding.Attempt) error {
	now := a.settler.Clock.Now()
	var delay *time.Duration
	if s.Early != "" {
		delay = new(time.Duration)
	}
	next, due, err := attempts.Next(&s.Item, s.Failure, delay, now, a.random)
	if err != nil {
		return err
	}
	if next.ID = s.Early; s.Early != "" {
		next.Actor, next.Token = s.Message.Item.Actor, a.sender.Keys.Token(s.Item.Instance, s.Item.ExecutionID, s.EventID, s.RecordedAtMS)
	}
	err = a.settler.Edge.SendAttempt(ctx, a.settler.Queues.OfAttempts(edge.QueueOf(next.Retry)), next, due, now)
	if edge.Unfit(err) && s.Early != "" {
		a.settler.Logger.WarnContext(ctx, "could not start an attempt early because its message cannot be sent", "instance", s.Item.Instance, "event_id", s.EventID, "attempt", next.Attempt, "error", err)
		a.settler.Settle(s.Message, "late")
		return nil
	}
	if edge.Unfit(err) {
		// The activity then fails, as it does in the worker.
		unsent := edge.Unsendable(err, fmt.Sprintf("attempt %d of activity %q", next.Attempt, next.Name))
		unsent.Source, unsent.Attempt = next.Name, s.Failure.Attempt
		s.Message.Item = deciding.Failed(s.Message, *unsent)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: attempt %d of activity %d of instance %q: %w", dispatch.ErrUnsent, next.Attempt, s.EventID, s.Item.Instance, err)
	}
	if s.Early != "" {
		a.settler.Logger.InfoContext(ctx, "attempt sent before it is due", "instance", s.Item.Instance, "event_id", s.EventID, "attempt", next.Attempt, "actor", s.Message.Item.Actor)
	}
	a.settler.Settle(s.Message, s.Outcome)
	return nil
}

// keepBeat stores the last heartbeat of a pending activity.
func (a *sending) keepBeat(ctx context.Context, b *deciding.Beat) error {
	beat, err := a.tables.codecs.EncodeHeartbeat(b.Key, b.Beat)
	if err != nil {
		return fmt.Errorf("host: %w", err)
	}
	if _, err := a.tables.Stops.Heartbeat(ctx, b.Key, beat, b.Until); err != nil {
		return fmt.Errorf("host: heartbeat of activity %d of instance %q: %w", b.Key.EventID, b.Key.Instance, err)
	}
	return nil
}

// scheduleDeletion schedules the deletion of the histories up to the record's highest number. The
// deletion is due a grace period after the end of the instance.
func (a *sending) scheduleDeletion(ctx context.Context, r *store.Record) error {
	now := a.settler.Clock.Now()
	due := r.EndedAt.Add(a.settler.Settings.Purge.Grace)
	if due.Before(now) {
		due = now // The age of the item counts from now and not from the end of the instance, because an item that is too old is not applied.
	}
	item := wire.Item{V: wire.Version, Kind: wire.PurgeInstance, Instance: r.Instance, UpToExecution: r.Highest(),
		ID: fmt.Sprintf("delete-%d", r.Highest()), NotBeforeMS: due.UnixMilli(), SentMS: due.UnixMilli()}
	if a.sender.To.Timer == nil || due.Sub(now) <= a.settler.Settings.Dispatch.TimerLeast {
		item.Hops++
		return a.settler.SendLater(ctx, &item, due, nil)
	}
	body, err := a.settler.Edge.Encode(&item)
	if err == nil {
		err = a.sender.To.Timer.Schedule(ctx, timer.Schedule{Name: timer.Name(r.Instance, r.ExecutionID, 0, r.EndedAt.UnixMilli()), Due: due, Body: body, Group: wire.Group(r.Instance)})
	}
	if err != nil {
		return fmt.Errorf("host: could not schedule the deletion of instance %q: %w", r.Instance, err)
	}
	return nil
}

// askForPrune sends the request to prune the executions up to upTo. A failure is not retried,
// because the request of a later execution covers the same executions.
func (a *sending) askForPrune(ctx context.Context, upTo int64) {
	item := wire.Item{V: wire.Version, Kind: wire.PurgeInstance, Instance: a.known.View.Instance, UpToExecution: upTo, ID: fmt.Sprintf("prune-%d", upTo)}
	if err := a.settler.Post(ctx, &item); err != nil {
		a.settler.Logger.WarnContext(ctx, "could not request pruning; a later execution requests it again", "instance", item.Instance, "up_to", upTo, "error", err)
	}
}

// continueLater sends the wake with which another invocation continues the turn.
func (a *sending) continueLater(ctx context.Context, wake *wire.Item) error {
	var err error
	if pause := dispatch.Pause(&a.settler.Settings.Loop, wake.Depth); pause > 0 {
		err = a.continueSlowly(ctx, wake, pause)
	} else {
		err = a.settler.Post(ctx, wake)
	}
	if err != nil {
		return fmt.Errorf("%w: wake of instance %q: %w", dispatch.ErrUnsent, a.known.View.Instance, err)
	}
	return nil
}

// continueSlowly sends, after a pause, the wake of a turn that continues as new in a loop.
func (a *sending) continueSlowly(ctx context.Context, wake *wire.Item, pause time.Duration) error {
	now := a.settler.Clock.Now()
	wake.Stamp(now)
	if err := a.settler.SendLater(ctx, wake, now.Add(pause), nil); err != nil {
		return err
	}
	a.settler.Logger.WarnContext(ctx, "loop without a pause: the instance continues later; continue as new after a timer or after more work, or raise Settings.Loop.Depth",
		"instance", a.known.View.Instance, "execution_id", a.known.Running.Execution, "depth", wake.Depth, "pause", pause.String(), "limit", a.settler.Settings.Loop.Depth)
	a.settler.Observer.Count(host.CountLooping, "continue as new", 1)
	a.noteLoop(ctx)
	return nil
}

// reportUnreported publishes the unreported instance events in the record.
func (a *sending) reportUnreported(ctx context.Context, text string) error {
	events, err := deciding.UnreportedEvents(text)
	if err != nil {
		return err
	}
	out := a.sender.New()
	for i := range events {
		out.Moment(&events[i])
	}
	return a.sender.Send(ctx, out)
}
