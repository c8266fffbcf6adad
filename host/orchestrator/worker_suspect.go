package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/clock"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
)

// errNotAlone says that an attempt has to wait until no other runs beside it.
var errNotAlone = errors.New("host: a process has died in an attempt of this activity; it is made when no other runs beside it")

// suspects marks an attempt whose message came back too often, so that one that
// kills its process is found. A receive count alone proves nothing: hand-backs
// for a throttled table, a queue that refuses or a missing permission count too,
// and cost time only. A process that dies leaves the mark; who finds one of the
// activity, of whichever attempt and message, counts a death, and runs it alone
// from then on, so that the attempts beside a killer are cleared. At DeathLimit
// the activity fails as lost.
//
// An attempt that runs at most once has its claim, and never comes this far
// twice.
func (w *Worker) suspects(ctx context.Context, m *message, key store.ActivityKey, found store.Suspect, timeout time.Duration) (begins bool, delay time.Duration, err error) {
	item, n := &m.item, w.Settings.SuspectReceives
	marked := found.Attempt != 0
	if n < 0 || m.ReceiveCount < n && !marked || item.Retry != nil && item.Retry.AtMostOnce {
		return true, 0, nil
	}
	now, mark := w.Clock.Now(), store.Suspect{Attempt: item.Attempt}
	if marked {
		if found.Until.After(now) {
			return false, min(found.Until.Sub(now), queue.MaxVisibility), fmt.Errorf("attempt %d may still be under way in another process, until %s", item.Attempt, found.Until.UTC().Format(time.RFC3339))
		}
		mark.Deaths = found.Deaths + 1
	}
	if mark.Deaths >= w.Settings.DeathLimit {
		w.Observer.Count(host.CountAttempts, history.FailureLost, 1)
		return false, 0, w.sendFailure(ctx, item, &history.Failure{Kind: history.FailureLost, Source: item.Name, Attempt: item.Attempt, Message: fmt.Sprintf(
			"activity %q was given up: %d processes in a row died in its attempts, the last in attempt %d (a crash, the memory limit or the function's timeout); see the worker's logs", item.Name, mark.Deaths, item.Attempt)})
	}
	if mark.Deaths > 0 && !m.alone {
		return false, 0, errNotAlone
	}
	mark.Until = now.Add(timeout)
	if err := w.Stops.MarkSuspect(ctx, key, mark, now.Add(w.Settings.StopRetention)); err != nil {
		// The mark may stand for all that. Nobody has died with it.
		w.leaveMark(ctx, m, key, found)
		return false, 0, fmt.Errorf("attempt not marked: %w", err)
	}
	m.marked = true
	return true, 0, nil
}

// hasTimeFor reports whether an attempt that had to wait for the others of its
// batch still has the time that it was given: cut short, it would fail for what
// the others took. One that asks for more than a whole invocation never has it.
func (w *Worker) hasTimeFor(ctx context.Context, m *message, whole time.Duration) bool {
	need := w.Settings.AttemptTimeout
	if r := m.item.Retry; r != nil && r.TimeoutMS > 0 {
		need = time.Duration(r.TimeoutMS) * time.Millisecond
	}
	need += w.Settings.ExitTime
	return need > whole || clock.HasTime(ctx, w.Clock, need)
}

// clearSuspect takes the mark of an attempt away that has returned.
func (w *Worker) clearSuspect(ctx context.Context, m *message, key store.ActivityKey) {
	if m.marked {
		w.leaveMark(ctx, m, key, store.Suspect{})
	}
}

// leaveMark leaves this as the activity's mark. One that stays from an attempt
// which has returned, or never began, counts as a death.
func (w *Worker) leaveMark(ctx context.Context, m *message, key store.ActivityKey, mark store.Suspect) {
	var err error
	for range 3 {
		if err = w.Stops.MarkSuspect(ctx, key, mark, w.Clock.Now().Add(w.Settings.StopRetention)); err == nil {
			return
		}
	}
	w.Logger.ErrorContext(ctx, "suspect's mark not removed; who makes the attempt again will count one death too many", "activity", m.item.Name,
		"instance", m.item.Instance, "event_id", m.item.SchedulingEventID, "message_id", m.ID, "error", err)
}
