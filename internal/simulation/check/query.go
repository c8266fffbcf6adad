package check

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/querying"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/turncache"
	"github.com/turnstile-go/turnstile/store"
)

// checkWarm reads what has just landed as a process does that answers queries and has read some of it
// before.
func (w *checker) checkWarm(x *ledger.Recorded, t *store.Turn) {
	r, err := w.Describe(t.Instance)
	if err != nil || r.Purged || r.ExecutionID != t.ExecutionID || w.Commits%4 != 1 || w.Walk != nil {
		return
	}
	if w.asked == nil {
		w.asked = turncache.New(1 << 20)
	}
	var from int64
	turns, err := w.asked.Read(turncache.Key{Instance: t.Instance, ExecutionID: t.ExecutionID, StartID: r.StartID}, func(first int64) ([]store.Turn, error) {
		from = first
		return w.Store.Read(context.Background(), t.Instance, t.ExecutionID, first)
	})
	var events []history.Event
	for i := range turns {
		events = append(events, turns[i].Events...)
	}
	if err != nil || !slices.EqualFunc(events, x.Events, func(a, b history.Event) bool {
		return a.EventID == b.EventID && a.Kind == b.Kind && a.AtMS == b.AtMS && a.SourceEventID == b.SourceEventID
	}) {
		w.Violate("query", "a warm process reads %d events of %s/%d, which has %d: %v", len(events), t.Instance, t.ExecutionID, len(x.Events), err)
	}
	if from > 1 {
		w.Reached("query, warm")
	}
}

// checkQuery sends a query to an execution after a commit has landed, in whatever state the execution is.
// The code must answer like an execution that was replayed for a turn: it has read all events for which
// it was run, and no event that was only recorded. A replay takes time, so one commit in four is looked
// at.
func (w *checker) checkQuery(p *world.Process, x *ledger.Recorded, t *store.Turn) {
	if w.Commits%4 != 1 || w.Walk != nil || w.Older || p.Code != w.Good {
		return // The code of another build may answer differently.
	}
	now := w.Clock.Now().UnixMilli()
	of := querying.Of{Instance: t.Instance, ExecutionID: t.ExecutionID, Query: program.HowFar, NowMS: now}
	turns := []store.Turn{{Instance: t.Instance, ExecutionID: t.ExecutionID, Events: x.Events, Parked: t.Parked}}
	a, err := querying.Ask(context.Background(), w.Good.Orchestrations, of, turns)
	refused, _ := errors.AsType[*querying.Error](err)
	switch {
	case err != nil && refused == nil:
		return // The check at the end of the run reports it.
	case refused != nil && refused.Kind == querying.Blocked:
		return // Its limit is in real time, and the machine may be busy.
	case refused != nil && (refused.Kind == querying.Panicked || refused.Kind == querying.DurableCall || refused.Kind == querying.Failed):
		w.Violate("query", "%s/%d answers with %s: %s", t.Instance, t.ExecutionID, refused.Kind, refused.Message)
	case err != nil || a.Problem != nil:
		return
	case t.Parked && a.ReadTo == a.Last:
		w.Violate("query", "%s/%d was read to event %d, which was recorded without running its code", t.Instance, t.ExecutionID, a.Last)
	case !t.Parked && a.ReadTo != a.Last:
		w.Violate("query", "%s/%d was read to event %d of %d, and its code has run for all of them", t.Instance, t.ExecutionID, a.ReadTo, a.Last)
	}
	if t.Parked {
		w.Reached("query, of what is parked")
		return
	}
	execution := engine.New(engine.Config{Instance: t.Instance, ExecutionID: t.ExecutionID, Registry: w.Good.Orchestrations})
	defer execution.Close()
	if err := execution.Feed(x.Events, false); err != nil {
		return
	}
	if out, err := execution.Run(engine.Input{NowMS: now}); err != nil || len(out.Events) > 0 || out.Stuck != nil {
		return // The code has not processed all recorded events yet.
	}
	w.Reached("query")
	if want, err := execution.Query(program.HowFar, nil); err != nil || !bytes.Equal(a.Output, want) {
		w.Violate("query", "%s/%d answers %s, but its running code answers %s, %v", t.Instance, t.ExecutionID, a.Output, want, err)
	}
}
