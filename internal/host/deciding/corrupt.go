package deciding

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// damage is the progress of handling a damaged history.
type damage struct {
	cause error
	// reported: the damage is in the log and in the record. purged: a purge was
	// handled after that.
	reported, purged bool
}

// Failed records the error of a load, of a decision or of carrying out a plan. It returns nil
// if the turn continues; otherwise it returns the error, which ends the attempt.
func (t *Turn) Failed(err error) error {
	if reading.Corrupt(err) && t.passed.damage == nil {
		t.passed.damage, t.round = &damage{cause: err}, nil
		return nil
	}
	return t.noTurnHolds(err)
}

// damaged handles a damaged history. Nothing is written to it: the record is marked, and the
// messages become dead letters that name the event. The next message checks again, so that the
// instance continues by itself after its history was restored.
func (t *Turn) damaged(p *Plan) error {
	d := t.passed.damage
	switch {
	case d == nil:
		return nil
	case !d.reported:
		return t.reportDamage(p)
	case d.purged && t.held():
		return t.settleWithout(p)
	}
	open, event := t.open(), reading.CorruptEvent(d.cause)
	if len(open) == 0 {
		p.Over = true
		return nil
	}
	switch m := open[0]; {
	case m.Item.Kind == wire.PurgeInstance && (m.Item.Force || m.Item.UpToExecution > 0 || t.View.Record != nil && t.View.Record.Status.Terminal()):
		d.purged = true
		return t.purge(p, m)
	case m.Item.Kind == wire.Wake && m.Item.Number > 0:
		p.settle(m, "obsolete_wake")
	default:
		p.deadLetter(m, wire.ReasonCorrupt, fmt.Sprintf("event %d: %v", event, d.cause))
	}
	return nil
}

// reportDamage marks the record of a damaged instance, after it has confirmed the damage.
func (t *Turn) reportDamage(p *Plan) error {
	d := t.passed.damage
	if !t.View.Described {
		// The history was read without the record, and the history of a purged instance may be half
		// deleted.
		return ErrStale
	}
	if stored, ok := errors.AsType[*store.CorruptError](d.cause); ok && stored.Unconfirmed {
		if err := t.ask(&Read{What: Damage, Lacks: stored}); err != nil {
			return err
		}
	}
	d.reported = true
	event := reading.CorruptEvent(d.cause)
	p.report(counted(host.CountCorrupt, "history"))
	p.report(Report{Level: slog.LevelError, Text: "history is corrupt", With: []any{"instance", t.View.Instance, "event_id", event, "error", d.cause}})
	r := t.View.Record
	if r == nil || r.Status.Terminal() || r.Purged {
		return nil
	}
	status, read, next := store.StatusCorrupt, r.Stamp, r.Stamp+1
	problem := &store.Problem{Kind: store.ProblemCorrupt, Message: edge.Cut(d.cause.Error(), maxProblemMessage), EventID: event, SinceMS: t.Now.At.UnixMilli()}
	p.Record = &Write{Failed: "instance %q not marked corrupt", Problem: problem, Change: &store.RecordChange{
		If:     store.RecordCondition{Exists: true, ExecutionID: r.ExecutionID, Running: true, Stamp: &read},
		Status: &status, Problem: &problem, Stamp: &next, UpdatedAt: t.Now.At}}
	return nil
}
