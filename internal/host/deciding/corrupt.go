package deciding

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// damaged handles a damaged history. Nothing is written to the history. The record gets the problem
// "corrupt", and the messages become dead letters that name the event. The next message checks
// again, so that the instance continues by itself after its history was restored.
func (t *Turn) damaged() (Plan, error) {
	cause, r := t.progress.cause, t.View.Record
	switch {
	case !reading.Corrupt(cause):
		return Plan{}, nil
	case t.progress.step != corrupt:
		return t.reportDamage()
	case t.held(): // A purge has hidden the instance.
		return absent{t.Known}.settle()
	}
	open, event := t.Group.Open(), reading.CorruptEvent(cause)
	if len(open) == 0 {
		return Plan{Over: true}, nil
	}
	m, ended := open[0], r != nil && r.Status.Terminal()
	switch {
	case m.Item.Kind == wire.PurgeInstance && m.Item.Force && r != nil && !r.Purged && !ended && (m.Item.ExecutionID == 0 || m.Item.ExecutionID == r.ExecutionID):
		return t.endCorrupt()
	case m.Item.Kind == wire.PurgeInstance && (m.Item.Force || ended):
		return purging{t.Known}.purge(m)
	case m.Item.Kind == wire.Wake && m.Item.Number > 0:
		return settle(m, "obsolete_wake"), nil
	default:
		return deadLetter(m, wire.ReasonCorrupt, fmt.Sprintf("event %d: %v", event, cause)), nil
	}
}

// reportDamage sets the problem in the record of a damaged instance, after it has confirmed the
// damage.
func (t *Turn) reportDamage() (Plan, error) {
	if !t.View.Described {
		// The history was read without the record, and the history of a purged instance may be half
		// deleted.
		return Plan{}, ErrStale
	}
	cause := t.progress.cause
	if stored, ok := errors.AsType[*store.CorruptError](cause); ok && stored.Unconfirmed && t.Answered != Damage {
		return Plan{}, &Read{What: Damage, Lacks: stored}
	}
	t.progress.step = corrupt
	event := reading.CorruptEvent(cause)
	p := Plan{Reports: []Report{counted(host.CountCorrupt, "history"),
		{Level: slog.LevelError, Text: "history is corrupt", With: []any{"instance", t.View.Instance, "event_id", event, "error", cause}}}}
	r := t.View.Record
	if r == nil || r.Status.Terminal() || r.Purged {
		return p, nil
	}
	status, read, next := store.StatusCorrupt, r.Stamp, r.Stamp+1
	problem := &store.Problem{Kind: store.ProblemCorrupt, Message: edge.Cut(cause.Error(), maxProblemMessage), EventID: event, SinceMS: t.Now.At.UnixMilli()}
	p.Record = &Write{Failed: "could not mark instance %q as corrupt", Problem: problem, Change: &store.RecordChange{
		If:     store.RecordCondition{Exists: true, ExecutionID: r.ExecutionID, Running: true, Stamp: &read},
		Status: &status, Problem: &problem, Stamp: &next, UpdatedAt: t.Now.At}}
	return p, nil
}

// endCorrupt ends the record of an instance whose corrupt history cannot be ended, for a forced
// purge. Its parents are notified first, because a later redelivery finds the instance ended and
// notifies no parent. The parents are the instance's own parent and, as far as the history can be
// read, those that have attached themselves.
func (t *Turn) endCorrupt() (Plan, error) {
	r := t.View.Record
	turns, err := t.View.Turns(r.ExecutionID)
	if err != nil && !reading.Corrupt(err) {
		return Plan{}, err
	}
	parents := &Parents{Name: r.Name, End: &history.Event{Kind: history.OrchestrationFailed,
		Failure: &history.Failure{Kind: history.FailureTerminated, Message: "purged"}}}
	if r.Parent != nil {
		parents.Of = append(parents.Of, r.Parent)
	}
	if err == nil {
		parents.Of = append(parents.Of, engine.AttachedIn(reading.EventsOf(turns))...)
	}
	now, status, read := t.Now.At, store.StatusTerminated, r.Stamp
	return Plan{Send: Sending{Parents: parents}, Record: &Write{Failed: "could not end the record of instance %q", Change: &store.RecordChange{
		If: store.RecordCondition{Exists: true, ExecutionID: r.ExecutionID, Running: true, Stamp: &read}, Status: &status, EndedAt: &now, UpdatedAt: now}}}, nil
}
