package simulation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/simulation/program"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// formats is what was said beside what makes an instance go on: who asked, which
// headers a start had, who made an attempt. It has to arrive in the histories.
type formats struct {
	// made has the processes that began an attempt.
	made map[attemptKey][]string
	// detached has the headers with which an instance that nobody waits for is
	// started, by its id.
	detached map[string]map[string]string
}

// hasHeaders notes who makes an attempt, and checks the headers that it is given.
func (w *checker) hasHeaders(p *process, info *activity.Info) {
	key := attemptKey{keyOf(info), info.Attempt}
	note(&w.formats.made, key, append(w.formats.made[key], p.name))
	x := w.ledger.executions[executionKey{info.Instance, info.ExecutionID}]
	// Inline it may go by a start of its own, whose commit another has won.
	if x != nil && x.events[0].Start != nil && (!info.Inline || p.seen[executionKey{info.Instance, info.ExecutionID}] >= info.EventID) && int64(len(x.events)) >= info.EventID {
		if want := history.MergeHeaders(x.events[0].Start.Headers, x.events[info.EventID-1].Headers); !maps.Equal(info.Headers, want) {
			w.violate("formats", "%s makes attempt %d of activity %d of %s/%d with headers %v, want %v", p.name, info.Attempt, info.EventID, info.Instance, info.ExecutionID, info.Headers, want)
		}
	}
}

// checkFormats checks an event that is about to be recorded in x.
func (w *checker) checkFormats(x *recorded, t *store.Turn, e *history.Event) {
	violate := func(format string, args ...any) {
		w.violate("formats", "event %d (%s) of %s/%d %s", e.EventID, e.Kind, t.Instance, t.ExecutionID, fmt.Sprintf(format, args...))
	}
	switch e.Kind {
	case history.OrchestrationStarted:
		if w.said[e.Start.StartID] && e.Actor != actorOf(e.Start.StartID) {
			violate("has the actor %q", e.Actor)
		}
		if want, known := w.headersOfStart(t, e); known && !maps.Equal(e.Start.Headers, want) {
			violate("has the headers %v, want %v", e.Start.Headers, want)
		}
	case history.ActivityScheduled, history.SubOrchestrationScheduled, history.OrchestrationChained:
		w.checkScheduledHeaders(x, t, e, violate)
	case history.ExternalEvent, history.OrchestrationCancelRequested:
		if e.SenderID == oldSign {
			violate("was sent more than fourteen days ago")
		}
		if w.said[e.SenderID] && e.Actor != actorOf(e.SenderID) {
			violate("has the actor %q", e.Actor)
		}
	case history.ActivityCompleted, history.ActivityFailed:
		w.checkMade(x, t, e, violate)
	}
}

// headersOfStart returns the headers that an execution has to begin with: those of
// its client, those of the event that started it, or, where it continues another,
// those of that one with what its code gave it.
func (w *checker) headersOfStart(t *store.Turn, e *history.Event) (want map[string]string, known bool) {
	before := w.ledger.executions[executionKey{t.Instance, t.ExecutionID - 1}]
	if before != nil && before.events[0].Start != nil {
		if end := before.end(); end != nil && end.Kind == history.OrchestrationContinuedAsNew {
			w.reached("formats")
			var own map[string]string
			if w.scenario.isProgram(e.Name) {
				own = program.Headers(t.ExecutionID - 1)
			}
			return history.MergeHeaders(before.events[0].Start.Headers, own), true
		}
	}
	switch s := e.Start; {
	case w.said[s.StartID]:
		return headersOf(s.StartID), true
	case s.Parent != nil:
		parent := w.ledger.executions[executionKey{s.Parent.Instance, s.Parent.ExecutionID}]
		if parent == nil || parent.events[0].Start == nil || s.Parent.EventID > int64(len(parent.events)) {
			return nil, false
		}
		return history.MergeHeaders(parent.events[0].Start.Headers, parent.events[s.Parent.EventID-1].Headers), true
	}
	want, known = w.formats.detached[t.Instance]
	return want, known
}

// checkScheduledHeaders: what a program starts has the headers of its context.
func (w *checker) checkScheduledHeaders(x *recorded, t *store.Turn, e *history.Event, violate func(string, ...any)) {
	if len(x.events) == 0 || x.events[0].Start == nil {
		return
	}
	if w.scenario.isProgram(x.events[0].Name) && !maps.Equal(e.Headers, program.Headers(t.ExecutionID)) {
		violate("has the headers %v, want those of its context", e.Headers)
	}
	if e.Kind == history.OrchestrationChained {
		note(&w.formats.detached, e.Instance, history.MergeHeaders(x.events[0].Start.Headers, e.Headers))
	}
}

// checkMade: a completion names who made the attempt that it is of.
func (w *checker) checkMade(x *recorded, t *store.Turn, e *history.Event, violate func(string, ...any)) {
	key := store.ActivityKey{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: e.SourceEventID}
	if !w.scenario.isRandom() {
		return // Others don't tell who begins an attempt.
	}
	if e.StartedAtMS == 0 {
		if e.Kind == history.ActivityCompleted && !w.ledger.outside.handed[key] {
			violate("does not say when its attempt began")
		}
		return
	}
	w.reached("formats")
	if made := w.formats.made[attemptKey{key, e.Attempt}]; !slices.Contains(made, e.RequestID) {
		violate("is of attempt %d by %q, which was made by %q", e.Attempt, e.RequestID, made)
	}
}

// aboutToHop checks that what a process sends on is as old as what it has
// received: else it would live for ever.
func (w *checker) aboutToHop(p *process, m *queue.Outgoing) {
	if p.dead || p.running == nil || len(m.Attributes) == 0 && !strings.Contains(m.Body, `"hops":`) {
		return
	}
	item, err := w.item(m.Body)
	if err != nil || m.Attributes[wire.ReasonAttribute] != "" {
		return
	}
	var at []int64
	for _, d := range p.running.batch {
		was, err := w.item(d.Body)
		if err == nil && was.Kind == wire.ActivityExecute && was.Attempt < item.Attempt && sameFact(was, item) {
			return // It may be the next attempt of that, which is another.
		}
		if err != nil || was.Kind != item.Kind || !sameFact(was, item) ||
			was.Attempt != item.Attempt || was.FireAtMS != item.FireAtMS {
			continue
		}
		// The watch of a pending activity goes on under the number of its next
		// round, which that of a neighbour may have.
		if was.Number != item.Number && was.Kind != wire.ActivityPending {
			continue
		}
		if was.SentMS == 0 {
			return // It may be that one, which does not say.
		}
		at = append(at, was.SentMS)
	}
	if len(at) > 0 && !slices.Contains(at, item.SentMS) {
		w.violate("formats", "%s received %s, sent first at %d, and sends it on as if that had been at %d", p.name, bodyText(m.Body), at, item.SentMS)
	}
}
