package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/panics"
)

// An update is an ExternalEvent whose name begins with history.UpdatePrefix. The code decides about
// it when it has a handler for it: an OpAcceptUpdate starts the handler, an ExternalRejected rejects
// the update. Both are recorded among the operations of the round, and a replay claims them, as it
// claims rejected events (rule 7). The result of the handler is an OpAnswerUpdate. Registering a
// handler records nothing, so handlers can be added to running instances. An update without a handler
// is kept like an event without a wait.

// UpdateHandler is the code that decides about the updates of one name and answers them.
type UpdateHandler struct {
	// Validate returns an error to reject the update. It is called once, in the turn that decides,
	// and never on replay. It reads the variables of the code and makes no durable calls. Nil
	// accepts everything.
	Validate func(input []byte) error
	// Handle runs as a branch. Its result is the answer.
	Handle func(c *Context, input []byte) ([]byte, error)
	// Normalize compares outputs on replay; see Normalizer.
	Normalize Normalizer
	// Origin has the callers to which errors point; see Context.GoFrom.
	Origin []uintptr
}

type updateHandler struct {
	UpdateHandler
	name string
	c    *Context
}

// HandleUpdate registers the handler of an update, whose branches run in the scope of c; a later one
// of the same name replaces it. It first gets the updates that are kept, and those that are known.
// HandleUpdate itself records nothing.
func (c *Context) HandleUpdate(name string, h UpdateHandler) error {
	x, event := c.x, history.UpdatePrefix+name
	if _, err := x.enter("Update.Handle", name); err != nil {
		return err
	}
	if x.updates == nil {
		x.updates = make(map[string]*updateHandler)
	}
	x.updates[event] = &updateHandler{UpdateHandler: h, name: name, c: c}
	if stuck := x.decideKept(); stuck != nil {
		return x.giveUp(stuck)
	}
	for {
		if known, err := x.deliverKnown(event); !known || err != nil {
			return err
		}
	}
}

// decideKept decides about the updates that were kept until the code had a handler for them, in the
// order in which they arrived.
func (x *Execution) decideKept() *StuckError {
	var kept []*history.Event
	for name := range x.updates {
		if n := x.external.byName[name]; n != nil {
			kept = append(kept, n.kept...)
		}
	}
	slices.SortFunc(kept, func(a, b *history.Event) int { return int(a.EventID - b.EventID) })
	for _, e := range kept {
		decided, stuck := x.decide(x.updates[e.Name], e)
		if stuck != nil {
			return stuck
		}
		if decided {
			n := x.external.byName[e.Name]
			n.kept = slices.DeleteFunc(n.kept, func(k *history.Event) bool { return k == e })
		}
	}
	return nil
}

// decide accepts or rejects an update. It does neither where a replay finds that the turn which ran
// this round did not: the code had no handler then, and the next live round decides.
func (x *Execution) decide(h *updateHandler, e *history.Event) (decided bool, stuck *StuckError) {
	if !x.cursor.live {
		v := x.claimVerdict(e)
		if v != nil && v.Kind == history.SystemCall {
			x.handle(h, e)
		}
		return v != nil, nil
	}
	if x.run.quiet || x.cfg.Options.ReadOnly {
		return false, nil
	}
	problem, stuck := x.validate(h, e)
	if stuck != nil {
		return false, stuck
	}
	v := &history.Event{Kind: history.SystemCall, Op: history.OpAcceptUpdate, SourceEventID: e.EventID, Name: e.Name, SenderID: e.SenderID, Instance: e.Instance}
	switch {
	case problem != nil:
		v.Kind, v.Op, v.Reason = history.ExternalRejected, "", reasonOf(problem)
	case x.cursor.visiting != e.EventID:
		v.Payload = strconv.AppendInt(nil, x.cursor.visiting, 10)
	}
	x.cursor.scheduled = x.append(v).EventID
	if problem == nil {
		x.handle(h, e)
	}
	return true, nil
}

// claimVerdict claims the recorded verdict on an update, if that is the next event to claim and the turn
// accepted the update at this point. An OpAcceptUpdate has the id of the event that was visited then, if
// that was another than the request: the handler must see the same variables on replay. A rejection has
// no effect on the code, so its point does not matter.
func (x *Execution) claimVerdict(e *history.Event) *history.Event {
	if x.cursor.claim >= x.cursor.claimEnd {
		return nil
	}
	v := x.events.at(x.cursor.claim)
	if v.SourceEventID != e.EventID || v.Kind != history.ExternalRejected && (v.Kind != history.SystemCall || v.Op != history.OpAcceptUpdate) {
		return nil
	}
	if v.Kind == history.SystemCall {
		visited := e.EventID
		if len(v.Payload) > 0 {
			visited, _ = strconv.ParseInt(string(v.Payload), 10, 64)
		}
		if visited != x.cursor.visiting {
			return nil
		}
	}
	x.cursor.claim++
	x.cursor.scheduled = v.EventID
	return v
}

// validate returns why an update is rejected; nil if it is accepted. A validator that panics or makes
// a durable call leaves the code unable to continue; the update is not lost, and fixed code decides.
func (x *Execution) validate(h *updateHandler, e *history.Event) (problem error, stuck *StuckError) {
	switch {
	case e.FireAtMS > 0 && x.run.nowMS > e.FireAtMS:
		return fmt.Errorf("it expired at %s, before the instance could decide about it", time.UnixMilli(e.FireAtMS).UTC().Format(time.RFC3339Nano)), nil
	case len(x.coroutines) >= x.cfg.Options.MaxCoroutines:
		return fmt.Errorf("the instance already runs %d branches, which is the limit", len(x.coroutines)), nil
	case h.Validate == nil:
		return nil, nil
	}
	code := fmt.Sprintf("the validator of update %q", h.name)
	leave := x.inspect(code)
	defer func() {
		misuse := leave()
		if r := recover(); r != nil {
			stack := panics.Stack(string(debug.Stack()))
			stuck = &StuckError{Kind: StuckPanic, EventID: e.EventID, Stack: stack,
				Message: fmt.Sprintf("panic in %s: %s%s", code, x.panicText(r), at(panics.Place(stack)))}
		} else if misuse != nil {
			stuck = &StuckError{Kind: StuckPanic, EventID: e.EventID, Message: misuse.Error(), Err: misuse}
		}
	}()
	return h.Validate(e.Payload), nil
}

// handle starts the branch of an accepted update.
func (x *Execution) handle(h *updateHandler, e *history.Event) {
	f := &Future{x: x}
	c := &Context{x: x, scope: h.c.scope.child(false), headers: h.c.headers, label: h.c.label}
	f.branch = x.spawn(c, func(c *Context) ([]byte, error) {
		output, err := h.Handle(c, e.Payload)
		return nil, x.answer(h, e, output, err)
	})
	f.branch.future, f.branch.origin = f, h.Origin
	h.c.scope.add(f)
	x.handling = append(slices.DeleteFunc(x.handling, func(f *Future) bool { return f.state != open }), f)
}

// answer records the result of a handler.
func (x *Execution) answer(h *updateHandler, e *history.Event, output []byte, err error) error {
	if _, err := x.enter("the answer to update", h.name); err != nil {
		return err
	}
	want := &history.Event{Kind: history.SystemCall, Op: history.OpAnswerUpdate, SourceEventID: e.EventID, Name: e.Name, SenderID: e.SenderID, Instance: e.Instance, Payload: output}
	if err != nil {
		want.Payload, want.Failure = nil, failureOf(err)
	}
	_, err = x.schedule(want, h.Normalize)
	return err
}

// AwaitHandlers waits until no handler of an update runs. A handler cannot wait for itself, so the call
// fails there.
func (c *Context) AwaitHandlers() error {
	const call = "AllHandlersFinished"
	for {
		co, err := c.x.enter(call, "")
		if err != nil {
			return err
		}
		var running []*Future
		for _, f := range c.x.handling {
			if f.state == open {
				running = append(running, f)
			}
			if f == co.future {
				return &MisuseError{Call: call, Problem: "the handler of an update would wait for itself; make the call in the orchestration"}
			}
		}
		if len(running) == 0 {
			return nil
		}
		if err := c.waitAll(call, running); err != nil {
			return err
		}
	}
}

// Decided returns the last event about each update that was decided, among the events that were fed,
// in the order of the decisions.
func (x *Execution) Decided() []history.Event {
	if y := x.instead.Load(); y != nil {
		return y.Decided()
	}
	var all []history.Event
	at := make(map[int64]int)
	for i := range x.fedTo {
		e := x.events.at(i)
		if _, ok := e.Update(); !ok || e.Kind == history.ExternalEvent {
			continue
		}
		if n, ok := at[e.SourceEventID]; ok {
			all[n] = *e
			continue
		}
		at[e.SourceEventID] = len(all)
		all = append(all, *e)
	}
	return all
}

// CallUpdate sends an update to another instance, and returns a future for its answer: the document of
// the event that decides about it or answers it (history.Encode). The request is recorded as an
// OpRaiseEvent with the id of the update, and the wait for the answer as a wait for an event of that id.
func (c *Context) CallUpdate(name, instance string, input []byte, normalize Normalizer) *Future {
	const call = "Update.Call"
	x := c.x
	refused := func(err error) *Future {
		return &Future{x: x, kind: history.ExternalSubscribed, name: name, state: cancelled, err: err, refused: true}
	}
	if _, err := x.enter(call, name); err != nil {
		return refused(err)
	}
	if err := c.Err(); err != nil {
		return refused(err)
	}
	want := &history.Event{Kind: history.SystemCall, Op: history.OpRaiseEvent, Name: history.UpdatePrefix + name, Instance: instance, ExplicitID: true, Payload: input, Label: c.label}
	if x.cursor.live {
		want.SenderID = callID(x.cfg.Instance, x.cfg.ExecutionID, int64(x.events.len())+1)
	}
	e, err := x.schedule(want, normalize)
	if err != nil {
		return refused(err)
	}
	return c.ExternalEvent(history.AnswerPrefix + e.SenderID)
}

// callID returns the id of an update that an orchestration sends. It does not repeat, because the place
// of the event does not.
func callID(instance string, executionID, eventID int64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", executionID, eventID, instance))
	return hex.EncodeToString(sum[:16])
}

// AnswerOf returns the answer in the document that a future of CallUpdate returns. The error is a
// *FailureError: its failure is that of the handler, or says why the update was rejected, or that its
// handler did not return.
func AnswerOf(f *Future, document []byte) (output []byte, rejected bool, err error) {
	events, err := history.Decode(document)
	if err != nil || len(events) != 1 {
		return nil, false, fmt.Errorf("event %d: the answer to an update cannot be read: %w", f.took, err)
	}
	e := &events[0]
	failure := history.Failure{Kind: history.FailureApplication}
	switch {
	case e.Kind == history.ExternalRejected:
		rejected, failure.Message = true, e.Reason
	case e.Op == history.OpAcceptUpdate:
		failure.Message = "the instance has ended or continued as new before the handler returned"
	case e.Failure != nil:
		failure = *e.Failure
	default:
		return e.Payload, false, nil
	}
	return nil, rejected, &FailureError{What: "update", EventID: f.id, Failure: failure}
}

// Unanswered returns the requests of other instances that the events have not answered, each with the
// last event about it: the ExternalEvent, or the OpAcceptUpdate. After a continue-as-new only accepted
// ones are returned, because the next execution decides about the others.
func (x *Execution) Unanswered() []history.Event {
	if y := x.instead.Load(); y != nil {
		return y.Unanswered()
	}
	return UnansweredIn(x.events.slice(0, x.events.len()))
}

// UnansweredIn returns what Unanswered returns for an execution with these events.
func UnansweredIn(events []history.Event) []history.Event {
	var open []history.Event
	for i := range events {
		e := &events[i]
		if _, update := e.Update(); !update || e.Instance == "" {
			continue
		}
		request := e.SourceEventID
		if e.Kind == history.ExternalEvent {
			request = e.EventID
		}
		open = slices.DeleteFunc(open, func(o history.Event) bool { return o.EventID == request || o.SourceEventID == request })
		if e.Kind == history.ExternalEvent || e.Op == history.OpAcceptUpdate {
			open = append(open, *e)
		}
	}
	if n := len(events); n > 0 && events[n-1].Kind == history.OrchestrationContinuedAsNew {
		open = slices.DeleteFunc(open, func(o history.Event) bool { return o.Kind == history.ExternalEvent })
	}
	return open
}
