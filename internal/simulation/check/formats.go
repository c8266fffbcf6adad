package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/header"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// formats records data that does not affect the progress of an instance but must reach its history: the
// actors of requests, the headers of starts, the workers of attempts.
type formats struct {
	// made are the processes that started an attempt, and for whom.
	made map[ledger.Attempt][]madeBy
	// detached are the headers with which a detached instance is started, by its id.
	detached map[string]map[string]string
}

// madeBy is a process that started an attempt, and the actors of the messages that may have caused it.
type madeBy struct {
	process string
	actors  []string
}

// hasHeaders records which process makes an attempt, and checks the headers that the attempt receives.
func (w *checker) hasHeaders(p *world.Process, info *activities.Info) {
	key := ledger.Attempt{ActivityKey: keyOf(info), Number: info.Number}
	by := madeBy{process: p.Name}
	if info.Inline {
		by.actors = []string{""}
	} else {
		for _, item := range w.messagesOf(p.Running, key.ActivityKey, info.Number) {
			by.actors = append(by.actors, item.Actor)
		}
	}
	note(&w.formats.made, key, append(w.formats.made[key], by))
	x := w.Ledger.Executions[ledger.At(info.Instance, info.ExecutionID)]
	// An inline attempt may belong to a start whose commit conflicted with the commit of another process.
	if x != nil && x.Events[0].Start != nil && (!info.Inline || p.Seen[ledger.At(info.Instance, info.ExecutionID)] >= info.EventID) && int64(len(x.Events)) >= info.EventID {
		if want := header.Merge(x.Events[0].Start.Headers, x.Events[info.EventID-1].Headers); !maps.Equal(info.Headers, want) {
			w.Violate("formats", "%s makes attempt %d of activity %d of %s/%d with headers %v, want %v", p.Name, info.Number, info.EventID, info.Instance, info.ExecutionID, info.Headers, want)
		}
	}
}

// checkFormats checks an event that is about to be recorded in x.
func (w *checker) checkFormats(p *world.Process, x *ledger.Recorded, t *store.Turn, e *history.Event) {
	violate := func(format string, args ...any) {
		w.Violate("formats", "event %d (%s) of %s/%d %s", e.EventID, e.Kind, t.Instance, t.ExecutionID, fmt.Sprintf(format, args...))
	}
	w.checkLabel(x, e, violate)
	switch e.Kind {
	case history.OrchestrationStarted:
		// The actor of an execution that was redriven or forked and has continued as new is the one who
		// started it.
		if id := e.Start.StartID; w.Said[id] && !strings.HasPrefix(id, world.RedriveID) && !strings.HasPrefix(id, world.ForkID) && e.Actor != world.ActorOf(e.Start.StartID) {
			violate("has the actor %q", e.Actor)
		}
		if want, known := w.headersOfStart(p, t, e); known && !maps.Equal(e.Start.Headers, want) {
			violate("has the headers %v, want %v", e.Start.Headers, want)
		}
	case history.ActivityScheduled, history.SubOrchestrationScheduled, history.OrchestrationChained:
		w.checkScheduledHeaders(x, t, e, violate)
	case history.ExternalEvent, history.OrchestrationCancelRequested, history.OrchestrationSuspended, history.OrchestrationResumed:
		if e.SenderID == world.OldSign {
			violate("was sent more than fourteen days ago")
		}
		if w.Said[e.SenderID] && e.Actor != world.ActorOf(e.SenderID) {
			violate("has the actor %q", e.Actor)
		}
	case history.ActivityCompleted, history.ActivityFailed:
		w.checkMade(x, t, e, violate)
	}
}

// headersOfStart returns the headers with which an execution must start: the headers of its client or of
// the event that started it, or, if it continues another execution, the headers of that execution and those
// that its code added. A redriven execution has the headers of the failed one.
func (w *checker) headersOfStart(p *world.Process, t *store.Turn, e *history.Event) (want map[string]string, known bool) {
	last := w.Ledger.Before(t.Instance, t.ExecutionID)
	before := w.Ledger.Executions[ledger.At(t.Instance, last)]
	if before != nil && before.Events[0].Start != nil {
		if end := before.End(); end != nil && end.Kind == history.OrchestrationContinuedAsNew {
			w.Reached("formats")
			var own map[string]string
			if w.Scenario.Program(e.Name) != nil {
				own = program.Headers(startedAs(before, last))
			}
			return header.Merge(before.Events[0].Start.Headers, own), true
		} else if end != nil && last > w.Ledger.Hidden[t.Instance] && w.redrives(p, t) {
			return before.Events[0].Start.Headers, true // All of it happens again.
		}
	}
	switch s := e.Start; {
	case w.Said[s.StartID]:
		return world.HeadersOf(s.StartID), true
	case s.Parent != nil:
		parent := w.Ledger.Executions[ledger.At(s.Parent.Instance, s.Parent.ExecutionID)]
		if parent == nil || parent.Events[0].Start == nil || s.Parent.EventID > int64(len(parent.Events)) {
			return nil, false
		}
		return header.Merge(parent.Events[0].Start.Headers, parent.Events[s.Parent.EventID-1].Headers), true
	}
	want, known = w.formats.detached[t.Instance]
	return want, known
}

// checkScheduledHeaders: operations of a program have the headers of its context.
func (w *checker) checkScheduledHeaders(x *ledger.Recorded, t *store.Turn, e *history.Event, violate func(string, ...any)) {
	if len(x.Events) == 0 || x.Events[0].Start == nil {
		return
	}
	if w.Scenario.Program(x.Events[0].Name) != nil && !maps.Equal(e.Headers, program.Headers(startedAs(x, t.ExecutionID))) {
		violate("has the headers %v, want those of its context", e.Headers)
	}
	if e.Kind == history.OrchestrationChained {
		note(&w.formats.detached, e.Instance, header.Merge(x.Events[0].Start.Headers, e.Headers))
	}
}

// checkLabel: operations of a random program have the labels of their contexts, and no other event has a
// label. An activity says which statement started it; any other operation has the label of some statement.
func (w *checker) checkLabel(x *ledger.Recorded, e *history.Event, violate func(string, ...any)) {
	var p *program.Program
	if len(x.Events) > 0 {
		p = w.Scenario.Program(x.Events[0].Name)
	}
	if p == nil || !program.MayBeLabelled(e) {
		// The sample application names its timers itself.
		if e.Label != "" && (w.Scenario.IsRandom() || !program.MayBeLabelled(e)) {
			violate("has the label %q", e.Label)
		}
		return
	}
	var work program.Work
	known := e.Kind == history.ActivityScheduled && e.Codec == "" && json.Unmarshal(e.Payload, &work) == nil
	want, found := "", e.Label == ""
	p.Labels(func(id int, label string) {
		if known && id == work.ID {
			want = label
		}
		found = found || label == e.Label
	})
	switch {
	case known && e.Label != want, !found:
		violate("has the label %q, want %q", e.Label, want)
	case e.Label != "":
		w.Reached("labels")
	}
}

// checkMade: a completion names the worker that made its attempt, and who requested it.
func (w *checker) checkMade(x *ledger.Recorded, t *store.Turn, e *history.Event, violate func(string, ...any)) {
	key := store.ActivityKey{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: e.SourceEventID}
	if !w.Scenario.IsRandom() {
		return // Other scenarios do not record who starts an attempt.
	}
	if e.StartedAtMS == 0 {
		handed := w.Ledger.Outside.Handed[key]
		for n := key.ExecutionID - 1; !handed && x.CarriedFrom(key.EventID, n); n-- {
			handed = w.Ledger.Outside.Handed[store.ActivityKey{Instance: key.Instance, ExecutionID: n, EventID: key.EventID}]
		}
		if e.Kind == history.ActivityCompleted && !handed {
			violate("does not have the start time of its attempt")
		}
		return
	}
	w.Reached("formats")
	made := w.formats.made[ledger.Attempt{ActivityKey: key, Number: e.Attempt}]
	said := func(by madeBy) bool { return by.process == e.RequestID && slices.Contains(by.actors, e.Actor) }
	for x.CarriedFrom(key.EventID, key.ExecutionID-1) && !slices.ContainsFunc(made, said) {
		key.ExecutionID-- // An attempt of the previous execution completes an operation that was open there.
		made = w.formats.made[ledger.Attempt{ActivityKey: key, Number: e.Attempt}]
	}
	if !slices.ContainsFunc(made, said) {
		violate("names attempt %d by %q for %q, which was made by %+v", e.Attempt, e.RequestID, e.Actor, made)
	}
	if e.Actor != "" {
		w.Reached("formats, who asked")
	}
}

// aboutToHop checks that a message that a process forwards is as old as the one that it received: otherwise
// it would never expire.
func (w *checker) aboutToHop(p *world.Process, m *queue.Outgoing) {
	if p.Dead || p.Running == nil || len(m.Attributes) == 0 && !strings.Contains(m.Body, `"hops":`) {
		return
	}
	item, err := w.Item(m.Body)
	if err != nil || m.Attributes[wire.ReasonAttribute] != "" {
		return
	}
	if item.Kind == wire.InstanceEvent && item.Hops == 1 {
		return // Its commit is dispatched again, and the bus has refused it again.
	}
	var at []int64
	for _, d := range p.Running.Batch {
		was, err := w.Item(d.Body)
		if err == nil && was.Kind == wire.ActivityExecute && was.Attempt < item.Attempt && sameFact(was, item) {
			return // It may be the next attempt, which is another message.
		}
		if err == nil && was.Kind == wire.ActivityPending && item.Kind == wire.ActivityFailed && was.Target() == item.Target() &&
			was.TargetExecution() == item.TargetExecution() && was.SourceEventID == item.SourceEventID {
			return // It may be the failure that the end of the watched time limit causes.
		}
		if err != nil || was.Kind != item.Kind || !sameFact(was, item) ||
			was.Attempt != item.Attempt || was.FireAtMS != item.FireAtMS {
			continue
		}
		if was.Number != item.Number {
			continue
		}
		if item.UpToExecution > 0 && len(w.purgesOf(p.Running, item.Instance)) > 0 {
			return // It may be what a purge requests again.
		}
		if was.SentMS == 0 {
			return // It may be that one, which does not say.
		}
		if r := was.Retry; r != nil && (r.Limit > 0 || r.Rate > 0 || r.Queue != "") && item.Hops == was.Hops+1 {
			return // It waits for a permit, or for its queue, perhaps for longer than an item lives.
		}
		at = append(at, was.SentMS)
	}
	if len(at) > 0 && !slices.Contains(at, item.SentMS) {
		w.Violate("formats", "%s received %s, first sent at %d, and forwards it as if it had been sent at %d", p.Name, world.BodyText(m.Body), at, item.SentMS)
	}
}

// startedAs returns the execution number that code sees at its start: after a redrive, the number of the
// execution that recorded the first of the copied events.
func startedAs(x *ledger.Recorded, execution int64) int64 {
	if s := x.Events[0].Start; s != nil && s.Origin != nil && s.Origin.FirstExecutionID > 0 {
		return s.Origin.FirstExecutionID
	}
	return execution
}
