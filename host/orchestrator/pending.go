package orchestrator

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host/internal/attempt"
	"github.com/turnstile-go/turnstile/host/internal/delivery"
	"github.com/turnstile-go/turnstile/host/internal/dispatch"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// takePending handles the messages about pending activities: ActivityPending, which
// comes again when the next time limit may be over, and becomes the failure of an
// activity that is still open then; and ActivityHeartbeat.
func (t *turn) takePending(ctx context.Context) error {
	var l limits
	for _, m := range t.group.open() {
		unheard := m.Unheard()
		if !m.AboutPending() && !unheard {
			continue
		}
		v := t.verdict(m)
		var err error
		switch {
		case unheard && v.Kind == engine.Recorded && !t.brings(m.Item.SourceEventID):
			err = t.interrupted(ctx, m)
		case unheard:
			// It is judged as any other completion.
		case v.Kind == engine.Recorded:
			err = t.stillPending(ctx, m, &l)
		case (v.Kind == engine.Duplicate || v.Kind == engine.Late || v.Kind == engine.Early) && m.Item.Kind == wire.ActivityPending && (m.Returning() || t.stands(m)):
			// It, or its twin, may have become the failure that stands there: then it is
			// settled when what follows from that has been run.
			failPending(m, history.Failure{Kind: history.FailureTotalTimeout})
		case v.Kind == engine.Misaddressed, v.Kind == engine.Forged:
			err = t.refuse(ctx, m, v)
		default:
			t.Settle(m, "late")
		}
		if err != nil {
			return err
		}
	}
	return t.sendLimits(ctx, &l)
}

// limits are messages about pending activities that are to come again when a time limit
// may be over.
type limits struct {
	out      *dispatch.Outbox
	messages []*inbox.Message
}

// sendLimits asks for them, and settles those that have come now. The schedules are made
// together.
func (t *turn) sendLimits(ctx context.Context, l *limits) error {
	if l.out == nil {
		return nil
	}
	if err := t.sender.Send(ctx, l.out); err != nil {
		return fmt.Errorf("host: time limits of pending activities of instance %q execution %d: %w", t.Instance, t.execution, err)
	}
	for _, m := range l.messages {
		t.Settle(m, "pending")
	}
	return nil
}

// stillPending takes a message about an activity that is not completed.
func (t *turn) stillPending(ctx context.Context, m *inbox.Message, l *limits) error {
	item := &m.Item
	if _, open := t.work[item.SourceEventID]; !open {
		// Nobody waits for it any more.
		t.Settle(m, "late")
		return nil
	}
	if item.Kind == wire.ActivityHeartbeat {
		return t.heartbeat(ctx, m)
	}
	scheduled, err := t.Event(ctx, t.execution, item.SourceEventID)
	if err != nil {
		return err
	}
	now, retry := t.Clock.Now(), scheduled.Retry
	var next time.Time
	if end, bounded := attempt.TotalEnd(retry, time.UnixMilli(scheduled.AtMS)); bounded {
		if !end.After(now) {
			failPending(m, attempt.TotalFailure(scheduled.Name, item.Attempt, end.Sub(time.UnixMilli(scheduled.AtMS)), nil))
			return nil
		}
		next = end
	}
	if retry != nil && retry.HeartbeatTimeoutMS > 0 {
		silence := time.Duration(retry.HeartbeatTimeoutMS) * time.Millisecond
		alive, err := t.alive(ctx, item, now)
		if err != nil {
			return err
		}
		end := alive.Add(silence)
		if !end.After(now) {
			return t.silent(ctx, m, scheduled, silence)
		}
		if next.IsZero() || end.Before(next) {
			next = end
		}
	}
	if next.IsZero() {
		t.Settle(m, "pending")
		return nil
	}
	if l.out == nil {
		l.out = t.sender.New()
	}
	l.out.Limit(*item, next)
	l.messages = append(l.messages, m)
	return nil
}

// alive returns when a pending activity was last heard of: its heartbeat, or the
// message by which its attempt became pending, and never the future of another clock.
func (t *turn) alive(ctx context.Context, item *wire.Item, now time.Time) (time.Time, error) {
	key := activityKey(item)
	state, err := t.Stops.State(ctx, key)
	if err != nil {
		return now, fmt.Errorf("host: what is known of activity %d of instance %q: %w", key.EventID, key.Instance, err)
	}
	last := max(item.SentMS, state.Beat.At.UnixMilli())
	return time.UnixMilli(min(last, now.UnixMilli())), nil
}

// heartbeat records a sign of life of a pending activity.
func (t *turn) heartbeat(ctx context.Context, m *inbox.Message) error {
	item, key := &m.Item, activityKey(&m.Item)
	state, err := t.Stops.State(ctx, key)
	if err != nil {
		return fmt.Errorf("host: what is known of activity %d of instance %q: %w", key.EventID, key.Instance, err)
	}
	scheduled, err := t.Event(ctx, t.execution, key.EventID)
	if err != nil {
		return err
	}
	now, kept := t.Clock.Now(), delivery.Retention
	if scheduled.Retry != nil {
		// It is looked for when so much time has passed.
		kept += time.Duration(scheduled.Retry.HeartbeatTimeoutMS) * time.Millisecond
	}
	beat := store.Heartbeat{Attempt: max(item.Attempt, state.Beat.Attempt, 1), At: now, Details: item.Data}
	if beat, err = t.Codecs.SealHeartbeat(key, beat); err != nil {
		return fmt.Errorf("host: %w", err)
	}
	if _, err := t.Stops.Heartbeat(ctx, key, beat, now.Add(kept)); err != nil {
		return fmt.Errorf("host: heartbeat of activity %d of instance %q: %w", key.EventID, key.Instance, err)
	}
	t.Settle(m, "heartbeat")
	return nil
}

// activityKey names the activity that an item is about.
func activityKey(i *wire.Item) store.ActivityKey {
	return store.ActivityKey{Instance: i.Instance, ExecutionID: i.ExecutionID, EventID: i.SourceEventID}
}

// silent ends an attempt of which nothing was heard for too long: another
// follows if the retry policy has one left.
func (t *turn) silent(ctx context.Context, m *inbox.Message, scheduled *history.Event, silence time.Duration) error {
	item := &m.Item
	f := history.Failure{Kind: history.FailureHeartbeatTimeout, Retryable: true, Attempt: item.Attempt, Source: scheduled.Name, Message: fmt.Sprintf(
		"attempt %d of the pending activity %q gave no heartbeat for %s", item.Attempt, scheduled.Name, silence)}
	if !activity.Retryable(scheduled.Retry, &f, item.Attempt) {
		failPending(m, f)
		return nil
	}
	return t.nextOf(ctx, m, scheduled, &f, "heartbeat_timeout")
}

// nextOf sends the next attempt where no worker does (the last one was pending, or
// interrupted), and settles the message that told of the failure.
func (t *turn) nextOf(ctx context.Context, m *inbox.Message, scheduled *history.Event, f *history.Failure, outcome string) error {
	if t.warm && !t.confirmed {
		// No commit would show that a result has come meanwhile.
		return errRebuild
	}
	if m.Returning() {
		// By another clock, an earlier delivery of it may have become the failure of
		// the activity, in a commit that a read does not show yet. Nobody would send
		// what follows from that: this message ends here.
		if err := t.Unmoved(ctx, t.execution, t.x.LastEventID()+1); err != nil {
			return err
		}
	}
	item := &m.Item
	execute := wire.Item{V: wire.Version, Kind: wire.ActivityExecute, Instance: item.Instance, ExecutionID: item.ExecutionID,
		Name: scheduled.Name, Input: scheduled.Payload, Codec: scheduled.Codec, SchedulingEventID: scheduled.EventID, Token: item.Token,
		Attempt: f.Attempt, ScheduledAtMS: scheduled.AtMS, Retry: scheduled.Retry, Headers: history.MergeHeaders(t.started().Start.Headers, scheduled.Headers)}
	now := t.Clock.Now()
	next, due, err := attempt.Next(&execute, f, nil, now, t.random)
	if err != nil {
		return err
	}
	err = t.Edge.SendAttempt(ctx, t.Queues.Activity, next, due, now)
	if edge.Unfit(err) {
		// As in the worker, it is the activity's failure.
		unsent := edge.Unsendable(err, fmt.Sprintf("attempt %d of activity %q", next.Attempt, next.Name))
		unsent.Source, unsent.Attempt = next.Name, f.Attempt
		failPending(m, *unsent)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: attempt %d of activity %d of instance %q: %w", dispatch.ErrUnsent, next.Attempt, scheduled.EventID, item.Instance, err)
	}
	t.Settle(m, outcome)
	return nil
}

// failPending makes of the message the failure of its activity. Its kind does
// not matter where that failure stands in history already.
func failPending(m *inbox.Message, f history.Failure) {
	i := &m.Item
	m.Item = wire.Item{V: wire.Version, Kind: wire.ActivityFailed, Instance: i.Instance, ExecutionID: i.ExecutionID,
		SourceEventID: i.SourceEventID, Token: i.Token, Details: wire.FailureOf(&f)}
}
