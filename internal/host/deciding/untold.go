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

// Stuck and recovered are not events of a history. So the same write that changes the mark says
// in the record what is to be told of it. Every turn that reads the record, and finds something
// there, tells it and takes it out, before it does anything else; and a message that comes back
// has the record read. So it is told where the process dies after the write, and no later write
// of a mark loses it.

// owe adds to the change of a mark what is to be told of it. A history that is damaged has no
// end by which that could be numbered: its mark is told by metrics and the log alone, and
// its recovery as any other.
func (t *Turn) owe(on *projection.Result, d *engine.Turn) {
	if !t.By.Publishes || on.Change == nil {
		return
	}
	before := t.View.Problem()
	if t.Running.Creating {
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
	stamp, last, owed := on.Change.Stamp, t.Running.X.LastEventID(), ""
	execution := t.Running.Execution
	if before != nil && before.ExecutionID == execution {
		last = max(last, before.LastEventID) // The history may have been read beside the commit of the mark.
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
	if r := t.View.Record; r != nil && !r.Purged {
		owed = r.Untold
	}
	var events, told []host.InstanceEvent
	// A record that an earlier build of this format wrote can be read.
	_, _ = json.Unmarshal([]byte(owed), &events), json.Unmarshal([]byte(t.passed.told), &told)
	for _, e := range slices.Concat(events, told) {
		if e.Execution == execution {
			last = max(last, publishing.EventOf(e.Number)) // As with the mark.
		}
	}
	events = append(events, host.InstanceEvent{Schema: publishing.Schema, Type: what, Instance: t.View.Instance, Execution: execution,
		Orchestration: t.Running.Started().Name, Number: publishing.Number(execution, last, *stamp), At: t.Now.At.UTC().Truncate(time.Millisecond), Problem: of.Kind})
	text, _ := json.Marshal(events)
	untold := string(text)
	if r := on.Change.Create; r != nil {
		r.Untold = untold
		return
	}
	on.Change.Untold = &untold
}

// untold tells what was written with marks, and takes it out of the record. That demands the
// stamp that was read: what was written since is told by the next turn.
func (t *Turn) untold(p *Plan) error {
	r := t.View.Record
	if !t.By.Publishes || r == nil || r.Untold == "" {
		return nil
	}
	none, read := "", r.Stamp
	t.passed.told = r.Untold
	p.Send.Untold = r.Untold
	p.Record = &Write{Failed: "events about instance %q not taken out of its record",
		Change: &store.RecordChange{If: store.RecordCondition{Exists: true, Stamp: &read}, Untold: &none, UpdatedAt: t.Now.At}}
	return nil
}

// UntoldEvents are the events about an instance that its record has.
func UntoldEvents(text string) (events []host.InstanceEvent, err error) {
	if err = json.Unmarshal([]byte(text), &events); err != nil {
		err = fmt.Errorf("host: events about the instance in its record: %w", err)
	}
	return events, err
}
