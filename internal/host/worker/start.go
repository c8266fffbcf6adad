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

// errNotAlone means that an attempt waits until no other attempt of its batch is running.
var errNotAlone = errors.New("worker: a process has died in an attempt of this activity, so the next attempt waits until no other attempt of its batch is running")

// underWay is the error for an attempt that is already running in this process, or may be running in
// another.
type underWay struct {
	attempt int
	until   time.Time
	where   string
}

const anotherProcess = "another process"

func (e *underWay) Error() string {
	return fmt.Sprintf("worker: attempt %d may still be running in %s until %s", e.attempt, e.where, e.until.UTC().Format(time.RFC3339))
}

// start records in the store that an attempt starts, if that is necessary: an at-most-once attempt
// is claimed, and an attempt whose message may be poisonous is recorded as a suspect. If the
// attempt must not start, start returns the answer to send instead, or the reason why the message
// returns to the queue.
func (w *Worker) start(ctx context.Context, t *task, p *prepared, found store.Suspect, alone bool) (instead *answer, err error) {
	switch r, n := t.item.Retry, w.Settings.SuspectReceives; {
	case r != nil && r.AtMostOnce:
		// A claimed attempt never starts twice, so it can never be a suspect.
		return w.claim(ctx, t, p)
	case n >= 0 && (t.ReceiveCount >= n || found.Attempt != 0):
		return w.suspect(ctx, t, p, found, alone)
	}
	return nil, nil
}

// claim prevents an at-most-once attempt from starting twice. A process that claimed the attempt
// earlier may still be running it. When its time has passed, claim reports the attempt to the
// orchestrator as unheard. The orchestrator knows whether a result arrived, and sends a new attempt
// if the retry policy allows one.
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
		// The claim may have been stored. Then this attempt counts as interrupted, which at-most-once permits.
		return nil, fmt.Errorf("could not claim the attempt: %w", err)
	case claimed.Found.Attempt > item.Attempt, claimed.Found.Until.IsZero():
		// A later attempt has started, or this one has ended and was counted.
		return &answer{outcome: "superseded"}, nil
	case claimed.Found.Until.After(now):
		return nil, &underWay{item.Attempt, claimed.Found.Until, anotherProcess}
	}
	return unheard(item), nil
}

// settleClaim records that a claimed attempt has ended, if no history records its outcome because
// it is pending or was followed by another attempt. If the message is then delivered again, the
// worker does not count the attempt as interrupted. A result needs no record because it was sent to
// the orchestrator.
func (w *Worker) settleClaim(ctx context.Context, t *task, claim string, r *attempt.Result) {
	item := &t.item
	if claim == "" || !r.Pending && (r.Failure == nil || !activities.Retryable(item.Retry, r.Failure, item.Attempt)) {
		return
	}
	err := w.Stops.Claim(ctx, t.key(), store.Claim{Attempt: item.Attempt, Token: claim}, w.Clock.Now().Add(delivery.Retention))
	if _, later := errors.AsType[*store.ClaimedError](err); err != nil && !later {
		w.Logger.WarnContext(ctx, "could not record the end of the attempt; the attempt may count as interrupted if its message is redelivered", attrs(item, "error", err)...)
	}
}

// suspect records an attempt whose message was received too often, to detect attempts that kill
// their process. The receive count alone proves nothing, because messages also return for a
// throttled table, a rejecting queue or a missing permission, which only cost time. A process that
// dies leaves its suspect record behind. The next process that finds such a record, from any
// attempt or message of the activity, counts a crash. From then on the activity runs alone, so that
// other attempts of a batch are not suspected. After MaxCrashes the activity fails as lost.
func (w *Worker) suspect(ctx context.Context, t *task, p *prepared, found store.Suspect, alone bool) (instead *answer, err error) {
	item, now := &t.item, w.Clock.Now()
	record := store.Suspect{Attempt: item.Attempt, Until: now.Add(p.Limit.Timeout)}
	if found.Attempt != 0 {
		if found.Until.After(now) {
			return nil, &underWay{item.Attempt, found.Until, anotherProcess}
		}
		record.Deaths = found.Deaths + 1
	}
	if record.Deaths >= w.Settings.Attempt.MaxCrashes {
		return failedUnstarted(item, history.Failure{Kind: history.FailureLost, Source: item.Name, Attempt: item.Attempt, Message: fmt.Sprintf(
			"activity %q failed because %d processes in a row died in its attempts, the last in attempt %d (a crash, the memory limit or the function's timeout); see the worker's logs", item.Name, record.Deaths, item.Attempt)}), nil
	}
	if record.Deaths > 0 && !alone {
		return nil, errNotAlone
	}
	if err := w.Stops.SetSuspect(ctx, t.key(), record, now.Add(delivery.Retention)); err != nil {
		// The record may have been stored although the call failed, but no process has died because
		// of this attempt.
		w.setSuspect(ctx, t, found)
		return nil, fmt.Errorf("could not write the suspect record: %w", err)
	}
	p.suspected = true
	return nil, nil
}

// setSuspect overwrites the suspect record of the activity. A record that remains after an attempt has returned, or was
// never started, would count as a crash.
func (w *Worker) setSuspect(ctx context.Context, t *task, record store.Suspect) {
	var err error
	for range 3 {
		if err = w.Stops.SetSuspect(ctx, t.key(), record, w.Clock.Now().Add(delivery.Retention)); err == nil {
			return
		}
	}
	w.Logger.ErrorContext(ctx, "could not reset the activity's suspect record; the next attempt may count one crash too many", attrs(&t.item, "message_id", t.ID, "error", err)...)
}
