package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// An update has one verdict in all executions of a run, and its handler answers once. What a caller reads
// was recorded, is never set back, and is there at the end of the run until the instance is purged. A final
// answer stays, even if a redrive runs the code again from before it.

// updates has the state of updates.
type updates struct {
	// decided has the events about each update, in the order in which they were recorded: verdicts and
	// results. Copied events are not repeated.
	decided map[store.AnswerKey][]decision
	// stored is the latest answer that a process or a caller has found.
	stored map[store.AnswerKey]decision
	// put is the step at which the first answer was put.
	put map[store.AnswerKey]int
	// replied are the ids of the updates of instances whose answers were sent to them.
	replied map[string]bool
}

// decision is the place of an event about an update. It is final unless it accepts the update.
type decision struct {
	execution, event int64
	verdict, final   bool
}

func (d decision) before(other decision) bool {
	return d.execution < other.execution || d.execution == other.execution && d.event < other.event
}

// noteReply records that a queue has accepted the answer to an update of an instance.
func (w *checker) noteReply(m *queue.Outgoing) {
	item, err := w.Item(m.Body)
	if err != nil {
		return
	}
	if id, ok := strings.CutPrefix(item.Name, history.AnswerPrefix); ok && item.Kind == wire.ExternalRaised {
		note(&w.updates.replied, id, true)
		w.Reached("update, of an instance")
	}
}

// checkUpdate checks an event about an update that an execution is about to record.
func (w *checker) checkUpdate(p *world.Process, x *ledger.Recorded, t *store.Turn, e *history.Event, taken *takenOver) {
	_, update := e.Update()
	switch {
	case !update || taken.has(e):
		return
	case e.Kind == history.ExternalEvent:
		w.checkRepeat(p, x, t, e)
		return
	}
	violate := func(format string, args ...any) {
		w.Violate("update", "event %d of %s/%d (%s of update %s) %s", e.EventID, t.Instance, t.ExecutionID, e.Kind, e.SenderID, fmt.Sprintf(format, args...))
	}
	if e.SourceEventID < 1 || e.SourceEventID >= e.EventID {
		violate("does not follow its request")
		return
	}
	request := &x.Events[e.SourceEventID-1]
	if request.Kind != history.ExternalEvent || request.Name != e.Name || request.SenderID != e.SenderID {
		violate("names event %d, which is not its request", e.SourceEventID)
		return
	}
	key := store.AnswerKey{Instance: t.Instance, StartID: x.Events[0].Start.StartID, ID: e.SenderID}
	verdict := e.Op != history.OpAnswerUpdate
	if verdict {
		w.checkVerdict(x, key, t.ExecutionID, violate)
		if request.FireAtMS > 0 && e.Kind == history.SystemCall && e.AtMS > request.FireAtMS {
			violate("accepts it after it has expired")
		}
		if e.Kind == history.ExternalRejected && e.Reason == "" {
			violate("rejects it without a reason")
		}
		w.Reached("update, " + map[bool]string{true: "rejected", false: "accepted"}[e.Kind == history.ExternalRejected])
	} else {
		w.checkResult(x, e, violate)
	}
	if w.updates.decided == nil {
		w.updates.decided = map[store.AnswerKey][]decision{}
	}
	w.updates.decided[key] = append(w.updates.decided[key], decision{t.ExecutionID, e.EventID, verdict, e.Op != history.OpAcceptUpdate})
}

// checkRepeat checks that a process which could read the answer to an update has not recorded a repeat of
// it.
func (w *checker) checkRepeat(p *world.Process, x *ledger.Recorded, t *store.Turn, e *history.Event) {
	if t.First() == 1 && e.EventID > 1 && e.WithPrevious || p.Running == nil {
		return // It has left an execution that did not decide about it.
	}
	key := store.AnswerKey{Instance: t.Instance, StartID: x.Events[0].Start.StartID, ID: e.SenderID}
	// A purge deletes the answers.
	if at, ok := w.updates.put[key]; ok && at < p.Running.Started && w.Ledger.Hidden[t.Instance] == 0 {
		w.Violate("update", "%s records update %s of %s/%d, and its answer was put before", p.Name, key.ID, t.Instance, t.ExecutionID)
	}
}

// checkVerdict checks that the run has no other verdict on the update, except one that a redrive left
// behind: the code runs again from a point before it.
func (w *checker) checkVerdict(x *ledger.Recorded, key store.AnswerKey, execution int64, violate func(string, ...any)) {
	for i := range x.Events {
		if e := &x.Events[i]; isVerdict(e) && e.SenderID == key.ID {
			violate("is a second verdict; the first is event %d", e.EventID)
			return
		}
	}
	for _, d := range w.updates.decided[key] {
		if d.verdict && d.execution < execution && d.execution > w.Ledger.Hidden[key.Instance] && !w.leftBehind(key.Instance, d, execution) {
			violate("is a second verdict; the first is event %d of execution %d", d.event, d.execution)
			return
		}
	}
}

func isVerdict(e *history.Event) bool {
	_, update := e.Update()
	return update && e.Kind != history.ExternalEvent && e.Op != history.OpAnswerUpdate
}

// accepts reports whether an execution has accepted an update.
func accepts(x *ledger.Recorded, request *history.Event) bool {
	return slices.ContainsFunc(x.Events[request.EventID:], func(e history.Event) bool {
		return e.Op == history.OpAcceptUpdate && e.SourceEventID == request.EventID
	})
}

// leftBehind reports whether an execution, or one before it, continues another one from an event before
// a decision.
func (w *checker) leftBehind(instance string, d decision, execution int64) bool {
	for n := execution; n > d.execution; n-- {
		x := w.Ledger.Executions[ledger.At(instance, n)]
		if x == nil {
			continue
		}
		o := x.Events[0].Start.Origin
		if o == nil {
			continue
		}
		if o.ExecutionID < d.execution || o.ExecutionID == d.execution && o.EventID < d.event {
			return true
		}
	}
	return false
}

// checkResult checks that the result of a handler follows its acceptance, and is the only one.
func (w *checker) checkResult(x *ledger.Recorded, e *history.Event, violate func(string, ...any)) {
	accepted := false
	for i := range x.Events {
		switch other := &x.Events[i]; {
		case other.SenderID != e.SenderID:
		case other.Op == history.OpAcceptUpdate:
			accepted = true
		case other.Op == history.OpAnswerUpdate:
			violate("is a second result; the first is event %d", other.EventID)
		case isVerdict(other):
			violate("is the result of an update that event %d has rejected", other.EventID)
		}
	}
	switch {
	case !accepted:
		violate("is the result of an update that was not accepted")
	case e.Failure == nil && w.Scenario.Program(x.Events[0].Name) != nil && !bytes.HasPrefix(e.Payload, []byte(`"hidden `+e.SenderID+" ")):
		violate("is the result of another update: %s", e.Payload)
	}
}

// PutsAnswer implements world.Watcher.
func (w *checker) PutsAnswer(p *world.Process, a, before, after *store.Answer) {
	w.checkAnswer(p.Name+" puts", a)
	was, is := placeOf(before), placeOf(after)
	if after == nil || was.final && is != was || is.before(was) || !was.final && is.before(placeOf(a)) {
		w.Violate("update", "%s puts the answer to update %s of %s of event %d of execution %d; the store had event %d of execution %d, and has %d of %d now",
			p.Name, a.ID, a.Instance, a.Event.EventID, a.ExecutionID, was.event, was.execution, is.event, is.execution)
		return
	}
	if before == nil {
		note(&w.updates.put, a.AnswerKey, w.Steps)
	}
	if before != nil && is == was {
		w.Reached("update, put again")
	}
}

// ReadsAnswer implements world.Watcher.
func (w *checker) ReadsAnswer(p *world.Process, a *store.Answer) {
	who := "a caller"
	if p != nil {
		who = p.Name
		w.Reached("update, a repeat")
	}
	w.checkAnswer(who+" reads", a)
	is := placeOf(a)
	if was := w.updates.stored[a.AnswerKey]; was.execution > w.Ledger.Hidden[a.Instance] && is.before(was) || was.execution > w.Ledger.Hidden[a.Instance] && was.final && is != was {
		w.Violate("update", "%s reads that the answer to update %s of %s is event %d of execution %d, which was set back", who, a.ID, a.Instance, is.event, is.execution)
	}
	note(&w.updates.stored, a.AnswerKey, is)
}

// placeOf returns the place of the event of an answer; 0 for no answer.
func placeOf(a *store.Answer) decision {
	if a == nil {
		return decision{}
	}
	return decision{a.ExecutionID, a.Event.EventID, a.Event.Op != history.OpAnswerUpdate, a.Event.Op != history.OpAcceptUpdate}
}

// checkAnswer checks that an answer is an event about its update that its run has recorded.
func (w *checker) checkAnswer(what string, a *store.Answer) {
	violate := func(text string) {
		w.Violate("update", "%s the answer to update %s of %s (event %d of execution %d), %s", what, a.ID, a.Instance, a.Event.EventID, a.ExecutionID, text)
	}
	x := w.Ledger.Executions[ledger.At(a.Instance, a.ExecutionID)]
	if x == nil || a.Event.EventID < 1 || a.Event.EventID > int64(len(x.Events)) {
		violate("which no history has")
		return
	}
	if x.Events[0].Start.StartID != a.StartID {
		violate("which belongs to another run")
	}
	if _, update := a.Event.Update(); !update || a.Event.Kind == history.ExternalEvent || a.Event.SenderID != a.ID {
		violate("which is not about it")
	}
	opened, err := w.Encoding.World.OpenEvents(a.Instance, a.ExecutionID, []history.Event{a.Event})
	if err != nil {
		violate(fmt.Sprintf("which cannot be decoded: %v", err))
		return
	}
	if !ledger.Alike(&opened[0], &x.Events[a.Event.EventID-1]) {
		violate("which the history has differently")
	}
}

// checkAnswersBefore checks that an execution which continues as new has put the answers that earlier commits
// decided: a repeat that the next execution gets may find them nowhere else.
func (w *checker) checkAnswersBefore(p *world.Process, x *ledger.Recorded, t *store.Turn) {
	if end := x.End(); end == nil || end.Kind != history.OrchestrationContinuedAsNew {
		return
	}
	for i := range x.Events[:t.First()-1] {
		e := &x.Events[i]
		if _, update := e.Update(); !update || e.Kind == history.ExternalEvent || x.Copied(e.EventID) {
			continue
		}
		key := store.AnswerKey{Instance: t.Instance, StartID: x.Events[0].Start.StartID, ID: e.SenderID}
		a, err := w.Store.ReadAnswer(context.Background(), key)
		if is := placeOf(&a); err != nil || !is.final && is.before(decision{execution: t.ExecutionID, event: e.EventID}) {
			w.Violate("update", "%s continues %s/%d as new, and the answer to update %s, which event %d decided, is event %d of execution %d: %v",
				p.Name, t.Instance, t.ExecutionID, e.SenderID, e.EventID, is.event, is.execution, err)
			continue
		}
		w.Reached("update, before a continue-as-new")
	}
}

// checkAnswersPut checks at the end of a run that each update of an instance that was decided has the answer
// that was recorded last.
func (w *checker) checkAnswersPut(r *store.Record) {
	for key, all := range w.updates.decided {
		if key.Instance != r.Instance || key.StartID != r.StartID {
			continue
		}
		last := slices.MaxFunc(all, func(a, b decision) int {
			if a.before(b) {
				return -1
			}
			return 1
		})
		a, err := w.Store.ReadAnswer(context.Background(), key)
		switch {
		case err != nil:
			w.Violate("update", "update %s of %s was decided by event %d of execution %d, and has no answer: %v", key.ID, key.Instance, last.event, last.execution, err)
		case !placeOf(&a).final && placeOf(&a).before(last):
			w.Violate("update", "the last event about update %s of %s is %d of execution %d, and its answer %d of execution %d",
				key.ID, key.Instance, last.event, last.execution, a.Event.EventID, a.ExecutionID)
		default:
			w.checkAnswer("the store has", &a)
			w.Reached("update, an answer")
		}
	}
}

// checkAnswersDeleted checks at the end of a run that a purge has deleted the answers of an instance.
func (w *checker) checkAnswersDeleted(instance string) {
	for key := range w.updates.decided {
		if key.Instance != instance {
			continue
		}
		if a, err := w.Store.ReadAnswer(context.Background(), key); !errors.Is(err, store.ErrNoAnswer) {
			w.Violate("update", "%s was purged, and the answer to its update %s is event %d of execution %d: %v", instance, key.ID, a.Event.EventID, a.ExecutionID, err)
			continue
		}
		w.Reached("update, purged")
	}
}
