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
// goes round until the next time limit (inbox.Desk.NextRound) and becomes the failure
// of an activity that is still open then; and ActivityHeartbeat.
func (t *turn) takePending(ctx context.Context) error {
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
			err = t.stillPending(ctx, m)
		case (v.Kind == engine.Duplicate || v.Kind == engine.Late || v.Kind == engine.Early) && m.Item.Kind == wire.ActivityPending && m.Returning():
			// It may have become the failure that stands there: then it is settled
			// when what follows from that has been run.
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
	return nil
}

// stillPending takes a message about an activity that is not completed.
func (t *turn) stillPending(ctx context.Context, m *inbox.Message) error {
	item := &m.Item
	if _, open := t.work[item.SourceEventID]; !open {
		// Nobody waits for it any more.
		t.Settle(m, "late")
		return nil
	}
	key := store.ActivityKey{Instance: item.Instance, ExecutionID: item.ExecutionID, EventID: item.SourceEventID}
	state, err := t.Stops.State(ctx, key)
	if err != nil {
		return fmt.Errorf("host: what is known of activity %d of instance %q: %w", item.SourceEventID, item.Instance, err)
	}
	if item.Kind == wire.ActivityHeartbeat {
		now := t.Clock.Now()
		beat := store.Heartbeat{Attempt: max(item.Attempt, state.Beat.Attempt, 1), At: now, Details: item.Data}
		if beat, err = t.Codecs.SealHeartbeat(key, beat); err != nil {
			return fmt.Errorf("host: %w", err)
		}
		if _, err := t.Stops.Heartbeat(ctx, key, beat, now.Add(delivery.Retention)); err != nil {
			return fmt.Errorf("host: heartbeat of activity %d of instance %q: %w", item.SourceEventID, item.Instance, err)
		}
		t.Settle(m, "heartbeat")
		return nil
	}
	scheduled, err := t.Event(ctx, t.execution, item.SourceEventID)
	if err != nil {
		return err
	}
	return t.watchPending(ctx, m, scheduled, state.Beat)
}

// watchPending lets the message about a pending activity go round until the
// next of its time limits, or ends the attempt where one has passed.
func (t *turn) watchPending(ctx context.Context, m *inbox.Message, scheduled *history.Event, beat store.Heartbeat) error {
	now, item := t.Clock.Now(), m.Item
	retry := scheduled.Retry
	if item.FirstSeenMS == 0 {
		item.FirstSeenMS = now.UnixMilli()
	}
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
		alive := time.UnixMilli(item.FirstSeenMS)
		if beat.At.After(alive) {
			alive = beat.At
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
	item.ScheduledAtMS = scheduled.AtMS
	return t.NextRound(ctx, m, item, next)
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
