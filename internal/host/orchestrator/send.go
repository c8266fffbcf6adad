package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"time"

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

// keepProgress writes down how far a dispatch came that stopped short. If it
// cannot, only time is lost.
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

// send sends what is sent because of no commit.
func (a *attempt) send(ctx context.Context, s *deciding.Sending) error {
	switch {
	case s.Parents != nil:
		return a.tellParents(ctx, s.Parents)
	case s.Limits != nil:
		return a.sendLimits(ctx, s.Limits)
	case s.Attempt != nil:
		return a.sendAttempt(ctx, s.Attempt)
	case s.Beat != nil:
		return a.keepBeat(ctx, s.Beat)
	case s.Untold != "":
		return a.tellUntold(ctx, s.Untold)
	case s.Prune > 0:
		a.askForPrune(ctx, s.Prune)
		return nil
	case s.Deletion != nil:
		return a.scheduleDeletion(ctx, s.Deletion)
	}
	return a.goOnLater(ctx, s.GoOn)
}

// tellParents tells those who wait for an instance.
func (a *attempt) tellParents(ctx context.Context, p *deciding.Parents) error {
	out := a.sender.New()
	if p.Chained {
		out = a.outbox()
		out.Chain.Depth = p.Depth
	}
	for _, parent := range p.Of {
		out.Parent(parent, a.turn.View.Instance, p.Name, p.End, nil)
	}
	return a.sender.Send(ctx, out)
}

// sendLimits asks for messages that come when a time limit may be over.
func (a *attempt) sendLimits(ctx context.Context, l *deciding.Limits) error {
	out := a.sender.New()
	out.Now = l.Since
	for i, due := range l.Dues {
		out.Limit(l.Items[i], due)
	}
	if err := a.sender.Send(ctx, out); err != nil {
		return fmt.Errorf("host: time limits of pending activities of instance %q execution %d: %w", a.turn.View.Instance, a.turn.Running.Execution, err)
	}
	return nil
}

// sendAttempt sends the next attempt of an activity.
func (a *attempt) sendAttempt(ctx context.Context, s *deciding.Attempt) error {
	now := a.desk.Clock.Now()
	var delay *time.Duration
	if s.Early != "" {
		delay = new(time.Duration)
	}
	next, due, err := attempts.Next(&s.Item, s.Failure, delay, now, a.random)
	if err != nil {
		return err
	}
	if next.ID = s.Early; s.Early != "" {
		next.Actor = s.Message.Item.Actor
	}
	err = a.desk.Edge.SendAttempt(ctx, a.desk.Queues.OfAttempts(edge.QueueOf(next.Retry)), next, due, now)
	if edge.Unfit(err) && s.Early != "" {
		a.desk.Logger.WarnContext(ctx, "attempt not made early: its message is not taken", "instance", s.Item.Instance, "event_id", s.EventID, "attempt", next.Attempt, "error", err)
		a.desk.Settle(s.Message, "late")
		return nil
	}
	if edge.Unfit(err) {
		// As in the worker, it is the activity's failure.
		unsent := edge.Unsendable(err, fmt.Sprintf("attempt %d of activity %q", next.Attempt, next.Name))
		unsent.Source, unsent.Attempt = next.Name, s.Failure.Attempt
		s.Message.Item = deciding.Failed(s.Message, *unsent)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: attempt %d of activity %d of instance %q: %w", dispatch.ErrUnsent, next.Attempt, s.EventID, s.Item.Instance, err)
	}
	if s.Early != "" {
		a.desk.Logger.InfoContext(ctx, "attempt is made before it is due", "instance", s.Item.Instance, "event_id", s.EventID, "attempt", next.Attempt, "actor", s.Message.Item.Actor)
	}
	a.desk.Settle(s.Message, s.Outcome)
	return nil
}

// keepBeat keeps the last sign of life of a pending activity.
func (a *attempt) keepBeat(ctx context.Context, b *deciding.Beat) error {
	beat, err := a.tables.codecs.SealHeartbeat(b.Key, b.Beat)
	if err != nil {
		return fmt.Errorf("host: %w", err)
	}
	if _, err := a.tables.Stops.Heartbeat(ctx, b.Key, beat, b.Until); err != nil {
		return fmt.Errorf("host: heartbeat of activity %d of instance %q: %w", b.Key.EventID, b.Key.Instance, err)
	}
	return nil
}

// scheduleDeletion has the histories up to the execution of the record deleted, the grace
// after its end.
func (a *attempt) scheduleDeletion(ctx context.Context, r *store.Record) error {
	now := a.desk.Clock.Now()
	due := r.EndedAt.Add(a.desk.Settings.Purge.Grace)
	if due.Before(now) {
		due = now // Its age counts from its own sending, and not from the end: one that is too old is not applied.
	}
	item := wire.Item{V: wire.Version, Kind: wire.PurgeInstance, Instance: r.Instance, UpToExecution: r.ExecutionID,
		ID: fmt.Sprintf("delete-%d", r.ExecutionID), NotBeforeMS: due.UnixMilli(), SentMS: due.UnixMilli()}
	if a.sender.To.Timer == nil || due.Sub(now) <= a.desk.Settings.Dispatch.TimerLeast {
		item.Hops++
		return a.desk.SendLater(ctx, &item, due, nil)
	}
	body, err := a.desk.Edge.Encode(&item)
	if err == nil {
		err = a.sender.To.Timer.Schedule(ctx, timer.Schedule{Name: timer.Name(r.Instance, r.ExecutionID, 0), Due: due, Body: body, Group: wire.Group(r.Instance)})
	}
	if err != nil {
		return fmt.Errorf("host: deletion of instance %q not scheduled: %w", r.Instance, err)
	}
	return nil
}

// askForPrune sends the request to prune the executions up to one. No turn is made again for it:
// if it is not sent, the request of a later execution does the same.
func (a *attempt) askForPrune(ctx context.Context, upTo int64) {
	item := wire.Item{V: wire.Version, Kind: wire.PurgeInstance, Instance: a.turn.View.Instance, UpToExecution: upTo, ID: fmt.Sprintf("prune-%d", upTo)}
	if err := a.desk.Post(ctx, &item); err != nil {
		a.desk.Logger.WarnContext(ctx, "pruning not asked for; a later execution asks again", "instance", item.Instance, "up_to", upTo, "error", err)
	}
}

// goOnLater sends the wake by which the turn goes on in another invocation.
func (a *attempt) goOnLater(ctx context.Context, wake *wire.Item) error {
	var err error
	if pause := dispatch.Pause(&a.desk.Settings.Loop, wake.Depth); pause > 0 {
		err = a.goOnSlowly(ctx, wake, pause)
	} else {
		err = a.desk.Post(ctx, wake)
	}
	if err != nil {
		return fmt.Errorf("%w: wake of instance %q: %w", dispatch.ErrUnsent, a.turn.View.Instance, err)
	}
	return nil
}

// goOnSlowly sends, after a pause, the wake of a turn that continues as new in a loop.
func (a *attempt) goOnSlowly(ctx context.Context, wake *wire.Item, pause time.Duration) error {
	now := a.desk.Clock.Now()
	wake.Stamp(now)
	if err := a.desk.SendLater(ctx, wake, now.Add(pause), nil); err != nil {
		return err
	}
	a.desk.Logger.WarnContext(ctx, "loop without a pause: the instance goes on later; continue as new behind a timer or an activity, or raise Settings.Loop.Depth",
		"instance", a.turn.View.Instance, "execution_id", a.turn.Running.Execution, "depth", wake.Depth, "pause", pause.String(), "limit", a.desk.Settings.Loop.Depth)
	a.desk.Observer.Count(host.CountLooping, "continue as new", 1)
	a.noteLoop(ctx)
	return nil
}

// tellUntold publishes the events about the instance that its record has.
func (a *attempt) tellUntold(ctx context.Context, text string) error {
	events, err := deciding.UntoldEvents(text)
	if err != nil {
		return err
	}
	out := a.sender.New()
	for i := range events {
		out.Moment(&events[i])
	}
	return a.sender.Send(ctx, out)
}
