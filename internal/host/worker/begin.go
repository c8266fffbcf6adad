package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/attempt"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/store"
)

// errNotAlone says that an attempt has to wait until no other runs beside it.
var errNotAlone = errors.New("worker: a process has died in an attempt of this activity; it is made when no other runs beside it")

// underWay is the error of an attempt that another process may be making, or that
// this one makes.
type underWay struct {
	attempt int
	until   time.Time
	where   string
}

const anotherProcess = "another process"

func (e *underWay) Error() string {
	return fmt.Sprintf("worker: attempt %d may still be under way in %s, until %s", e.attempt, e.where, e.until.UTC().Format(time.RFC3339))
}

// begin says in the store that an attempt begins, where somebody has to know that:
// one that runs at most once is claimed, a suspect is marked. Where it must not
// begin it returns what is sent in place of it, or why it comes back.
func (w *Worker) begin(ctx context.Context, t *task, p *prepared, found store.Suspect, alone bool) (instead *answer, err error) {
	switch r, n := t.item.Retry, w.Settings.SuspectReceives; {
	case r != nil && r.AtMostOnce:
		// It never comes far enough twice to be suspected.
		return w.claim(ctx, t, p)
	case n >= 0 && (t.ReceiveCount >= n || found.Attempt != 0):
		return w.suspect(ctx, t, p, found, alone)
	}
	return nil, nil
}

// claim makes sure that no attempt of an activity that runs at most once is
// begun twice. A process that claimed the attempt before may still run it. Once its
// time is over, the orchestrator is told that nothing is heard of the attempt: it
// alone knows whether a result came, and sends another attempt if the retry policy
// has one.
func (w *Worker) claim(ctx context.Context, t *task, p *prepared) (instead *answer, err error) {
	token, err := w.random.Hex()
	if err != nil {
		return nil, err
	}
	item, now := &t.item, w.Clock.Now()
	err = w.Stops.Claim(ctx, t.key(), store.Claim{Attempt: item.Attempt, Token: token, Until: now.Add(p.Limit.Timeout)}, now.Add(delivery.Retention))
	claimed, refused := errors.AsType[*store.ClaimedError](err)
	switch {
	case err == nil:
		p.claim = token
		return nil, nil
	case !refused:
		// The claim may stand all the same; then this attempt counts as
		// interrupted, which is what at most once means.
		return nil, fmt.Errorf("attempt not claimed: %w", err)
	case claimed.Found.Attempt > item.Attempt, claimed.Found.Until.IsZero():
		// A later attempt was begun, or this one is over: it has been counted.
		return &answer{outcome: "superseded"}, nil
	case claimed.Found.Until.After(now):
		return nil, &underWay{item.Attempt, claimed.Found.Until, anotherProcess}
	}
	return unheard(item), nil
}

// settleClaim notes that a claimed attempt is over, where what came of it stands
// in no history: it is pending, or was followed by another. A message that comes
// again finds it, and counts nothing as interrupted. A result needs no note: the
// orchestrator has it.
func (w *Worker) settleClaim(ctx context.Context, t *task, claim string, r *attempt.Result) {
	item := &t.item
	if claim == "" || !r.Pending && (r.Failure == nil || !activities.Retryable(item.Retry, r.Failure, item.Attempt)) {
		return
	}
	err := w.Stops.Claim(ctx, t.key(), store.Claim{Attempt: item.Attempt, Token: claim}, w.Clock.Now().Add(delivery.Retention))
	if _, later := errors.AsType[*store.ClaimedError](err); err != nil && !later {
		w.Logger.WarnContext(ctx, "attempt that is over not noted; it may count as interrupted if its message comes again", attrs(item, "error", err)...)
	}
}

// suspect marks an attempt whose message came back too often, so that one that
// kills its process is found. A receive count alone proves nothing: hand-backs
// for a throttled table, a queue that refuses or a missing permission count too,
// and cost time only. A process that dies leaves the mark. A process that finds
// one of the activity, of whichever attempt and message, counts a death, and runs
// the activity alone from then on, so that the attempts beside a killer are cleared. At DeathLimit
// the activity fails as lost.
func (w *Worker) suspect(ctx context.Context, t *task, p *prepared, found store.Suspect, alone bool) (instead *answer, err error) {
	item, now := &t.item, w.Clock.Now()
	mark := store.Suspect{Attempt: item.Attempt, Until: now.Add(p.Limit.Timeout)}
	if found.Attempt != 0 {
		if found.Until.After(now) {
			return nil, &underWay{item.Attempt, found.Until, anotherProcess}
		}
		mark.Deaths = found.Deaths + 1
	}
	if mark.Deaths >= w.Settings.Attempt.DeathLimit {
		return failedUnbegun(item, history.Failure{Kind: history.FailureLost, Source: item.Name, Attempt: item.Attempt, Message: fmt.Sprintf(
			"activity %q was given up: %d processes in a row died in its attempts, the last in attempt %d (a crash, the memory limit or the function's timeout); see the worker's logs", item.Name, mark.Deaths, item.Attempt)}), nil
	}
	if mark.Deaths > 0 && !alone {
		return nil, errNotAlone
	}
	if err := w.Stops.MarkSuspect(ctx, t.key(), mark, now.Add(delivery.Retention)); err != nil {
		// The mark may stand for all that. Nobody has died with it.
		w.leaveMark(ctx, t, found)
		return nil, fmt.Errorf("attempt not marked: %w", err)
	}
	p.marked = true
	return nil, nil
}

// leaveMark leaves this as the activity's mark. One that stays from an attempt
// which has returned, or never began, counts as a death.
func (w *Worker) leaveMark(ctx context.Context, t *task, mark store.Suspect) {
	var err error
	for range 3 {
		if err = w.Stops.MarkSuspect(ctx, t.key(), mark, w.Clock.Now().Add(delivery.Retention)); err == nil {
			return
		}
	}
	w.Logger.ErrorContext(ctx, "suspect's mark not removed; who makes the attempt again will count one death too many", attrs(&t.item, "message_id", t.ID, "error", err)...)
}
