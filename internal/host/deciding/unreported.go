package deciding

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/projection"
	"github.com/turnstile-go/turnstile/internal/host/publishing"
	"github.com/turnstile-go/turnstile/store"
)

// "Stuck" and "recovered" are not history events. So the write that changes the problem also stores
// the pending notification in the record. Every turn that reads the record and finds a notification
// publishes and removes it before doing anything else. A redelivered message makes its turn read
// the record. So the notification is sent even if the process dies after the write, and no later
// write of a problem loses it.

type unreported struct {
	*Known
	// published are the pending notifications that the record had.
	published string
}

// owe adds the pending notification to the change of a problem. A damaged history has no last event
// from which a notification could get its number. So this problem is reported only by metrics and
// the log; the recovery is reported like any other.
func (u *unreported) owe(on *projection.Result, d *engine.Turn) {
	if !u.By.Publishes || on.Change == nil {
		return
	}
	before := u.View.Problem()
	if u.Running.Creating() {
		before = nil
	}
	what, of := "", on.Mark
	switch {
	case on.Recovered != nil:
		what, of = "recovered", on.Recovered
	case on.Moved && (before == nil || before.Kind == store.ProblemCorrupt):
		what = "stuck"
	default:
		return
	}
	stamp, last, owed := on.Change.Stamp, u.Running.X.LastEventID(), ""
	execution := u.Running.Execution
	if before != nil && before.ExecutionID == execution {
		last = max(last, before.LastEventID) // The history may have been read while the problem was being committed.
	}
	if n := len(d.Events); n > 0 {
		last = d.Events[n-1].EventID
	}
	if n := len(d.Next); n > 0 {
		execution, last = execution+1, d.Next[n-1].EventID
	}
	if r := on.Change.Create; r != nil {
		stamp = &r.Stamp
	}
	if r := u.View.Record; r != nil && !r.Purged {
		owed = r.Unreported
	}
	var events, reported []host.InstanceEvent
	// Records that an earlier build wrote in this format can be decoded.
	_, _ = json.Unmarshal([]byte(owed), &events), json.Unmarshal([]byte(u.published), &reported)
	for _, e := range slices.Concat(events, reported) {
		if e.Execution == execution {
			last = max(last, publishing.EventIDOf(e.Number)) // The history may be stale here too.
		}
	}
	events = append(events, host.InstanceEvent{Schema: publishing.Schema, Type: what, Instance: u.View.Instance, Execution: execution,
		Orchestration: u.Running.Started().Name, Number: publishing.Number(execution, last, *stamp), At: u.Now.At.UTC().Truncate(time.Millisecond), Problem: of.Kind})
	text, _ := json.Marshal(events)
	unreported := string(text)
	if r := on.Change.Create; r != nil {
		r.Unreported = unreported
		return
	}
	on.Change.Unreported = &unreported
}

// publish publishes the pending notifications in the record and removes them. The removal requires
// the stamp that was read, so notifications that were written later are left for the next turn.
func (u *unreported) publish() (p Plan, err error) {
	r := u.View.Record
	if !u.By.Publishes || r == nil || r.Unreported == "" {
		return p, nil
	}
	none, read := "", r.Stamp
	u.published, p.Send.Unreported = r.Unreported, r.Unreported
	p.Record = &Write{Failed: "could not remove published events from the record of instance %q",
		Change: &store.RecordChange{If: store.RecordCondition{Exists: true, Stamp: &read}, Unreported: &none, UpdatedAt: u.Now.At}}
	return p, nil
}

// UnreportedEvents returns the pending instance events in a record.
func UnreportedEvents(text string) (events []host.InstanceEvent, err error) {
	if err = json.Unmarshal([]byte(text), &events); err != nil {
		err = fmt.Errorf("host: decoding the events in the record: %w", err)
	}
	return events, err
}
