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

// damage is what is known of a history that is damaged.
type damage struct {
	cause error
	// told: the log and the record say so. purged: a purge was taken since.
	told, purged bool
}

// Failed takes in why what was loaded, decided or carried out has failed. It returns nil
// where the turn goes on with that, and otherwise the error, which ends the attempt.
func (t *Turn) Failed(err error) error {
	if reading.Corrupt(err) && t.passed.damage == nil {
		t.passed.damage, t.round = &damage{cause: err}, nil
		return nil
	}
	return t.noTurnHolds(err)
}

// damaged handles a history that is damaged. Nothing is written to it: the record
// is marked, and the messages become dead letters that name the event. The next
// message looks again, so that a history that was restored goes on by itself.
func (t *Turn) damaged(p *Plan) error {
	d := t.passed.damage
	switch {
	case d == nil:
		return nil
	case !d.told:
		return t.tellDamage(p)
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

// tellDamage marks the record of what is damaged, when that is certain.
func (t *Turn) tellDamage(p *Plan) error {
	d := t.passed.damage
	if !t.View.Described {
		// It was read without its record: a purged instance shows a history
		// that is half deleted.
		return ErrStale
	}
	if stored, ok := errors.AsType[*store.CorruptError](d.cause); ok && stored.Unconfirmed {
		if err := t.ask(&Read{What: Damage, Lacks: stored}); err != nil {
			return err
		}
	}
	d.told = true
	event := reading.CorruptEvent(d.cause)
	p.tell(counted(host.CountCorrupt, "history"))
	p.tell(Saying{Level: slog.LevelError, Text: "history is corrupt", With: []any{"instance", t.View.Instance, "event_id", event, "error", d.cause}})
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
