package deciding

import (
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/store"
)

// Turn is one attempt at the turn of a group: what is known, and the progress of the attempt.
type Turn struct {
	*Known
	progress   progress
	suspicion  suspicion
	unreported unreported
	// round in progress, or the last one.
	round round
}

// progress is how much of the messages an attempt has handled.
type progress struct {
	step step
	// rest are the messages that step still has to handle.
	rest   []*inbox.Message
	resend resend
	// cause is why no turn can be made: the history is damaged, or no commit can hold even the
	// failure of the instance. It is nil if a turn can be made.
	cause error
}

// step is the rule that handles the messages next.
type step uint8

const (
	// sendingAgain means that commits of earlier deliveries of the messages are dispatched again.
	sendingAgain step = iota
	// attending means that the messages about pending activities are handled.
	attending
	// taking means that all messages are handled, in order.
	taking
	// corrupt means that the damage of the history is in the log and in the record, and the
	// messages are dead letters.
	corrupt
)

// Begin sets a turn to its state before anything is decided.
func (t *Turn) Begin(k *Known) {
	*t = Turn{Known: k, suspicion: suspicion{Known: k}, unreported: unreported{Known: k}, progress: progress{resend: resend{Known: k}},
		round: round{k: k, suspicion: &t.suspicion, unreported: &t.unreported, resend: resend{Known: k}}}
}

// Failed records the error of a load, of a decision or of carrying out a plan. It returns nil
// if the turn continues; otherwise it returns the error, which ends the attempt.
func (t *Turn) Failed(err error) error {
	_, large := errors.AsType[*store.TooLargeError](err)
	if t.progress.cause == nil && (reading.Corrupt(err) || large && failing(t.round.end)) {
		t.progress.cause, t.round.step = err, closed
		return nil
	}
	return err
}

// Ran records the result of a run.
func (t *Turn) Ran(out engine.Turn, err error) error { return t.round.ran(out, err) }

// Took records that a commit was made.
func (t *Turn) Took(c *Commit) {
	t.View.Changed(c.Change)
	if len(c.Turns) == 0 {
		return
	}
	t.View.Wrote(c.Turns)
	t.Running.Stage, t.Running.Redriven = Committed, nil
	if t.round.draft.leaves == recorded {
		t.Running.Stage = Recorded
	}
	t.Running.Work.Add(c.Turns[0].Events)
}

// Wrote records a separate write of the record.
func (t *Turn) Wrote(w *Write) {
	t.View.Changed(w.Change)
	t.Group.Marked = t.Group.Marked || w.Change.Suspect != nil
}

// Hidden records that the record is now a tombstone, which reserves the id until freeAt.
func (t *Turn) Hidden(freeAt time.Time) {
	hidden := t.View.Record.Hidden(freeAt)
	t.View.Record = &hidden
}

// TookActivity records the state of a pending activity that was read.
func (t *Turn) TookActivity(key store.ActivityKey, s store.ActivityState) {
	if t.Activities == nil {
		t.Activities = map[store.ActivityKey]store.ActivityState{}
	}
	t.Activities[key] = s
}

// Stored returns the last stored event of the execution, while an inline activity runs.
func (t *Turn) Stored() int64 {
	if d := t.round.draft; len(d.Events) > 0 {
		return d.Events[0].EventID - 1
	}
	return t.Running.X.LastEventID()
}

// Keep reports whether the execution may be cached. It may not if no code ran in the last round, if
// it has cancellations that are in no commit yet (a cold run finds them again), or if the record
// has a problem that another process will clear.
func (t *Turn) Keep() bool {
	d := t.round.draft
	return d != nil && d.leaves != parked && d.State != engine.Stuck && len(d.owed().Cancelled) == 0 && t.View.Problem() == nil && !t.held()
}

// Cleared returns the change that removes the mark of a suspected message; nil if there is no mark
// to remove.
func (t *Turn) Cleared(failed bool) *store.RecordChange { return t.suspicion.cleared(failed) }
