package dispatch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/header"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/redriving"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Commit is a commit of one execution whose actions are to be sent, for the first time or again.
type Commit struct {
	*store.Turn
	// Start and Name belong to the execution.
	Start *history.Start
	Name  string
	// Done has the commit's scheduling events whose completion is known, and which are not sent
	// again. Nil if the commit has just been made.
	Done map[int64]bool
	// Opened has the operations of earlier commits' scheduling events that this commit refers to
	// (Named). It may also have further operations.
	Opened Work
	// Held are the events that a redrive has copied, with its OrchestrationRedriven, if none of
	// their operations was sent before this commit. The commit that releases them sends their open
	// operations. HeldDone are the held events that have no open operation.
	Held     []history.Event
	HeldDone map[int64]bool
	// Parents to notify of the end, in addition to the one that started the execution.
	Parents []*history.Parent
	// Unanswered are the updates of other instances that the commit leaves without an answer; see
	// engine.UnansweredIn. It is empty unless the commit ends the execution.
	Unanswered []history.Event
}

// Ends reports whether the instance ends with the commit of a turn, so that a parent or a
// subscriber may need a notification.
func Ends(t *store.Turn) bool {
	end := t.Events[len(t.Events)-1].Kind
	return end.Terminal() && end != history.OrchestrationContinuedAsNew
}

// Add adds the messages that follow from a commit.
func (out *Outbox) Add(c Commit) {
	cancelled := make(map[int64]bool, len(c.Cancelled))
	for _, id := range c.Cancelled {
		cancelled[id] = true
	}
	out.place.row.proceed(c.Turn)
	copied := int64(len(c.Held)) - 1
	timers := inTime(c.Events)
	for i := range c.Events {
		e := &c.Events[i]
		out.place.at = position{c.ExecutionID, e.EventID, 0}
		if e.EventID <= copied {
			continue
		}
		e = timers.instead(e)
		out.Chain.follow(c.Turn, e)
		out.moment(&c, e)
		// An operation that the same turn scheduled and cancelled is never sent.
		closed := e.Inline || cancelled[e.EventID] || c.Done[e.EventID]
		switch {
		case e.Kind == history.OrchestrationChained:
			// The operation has no completion, so nothing shows whether it was sent.
			out.detached(&c, e)
		case decides(e):
			if !answered(c.Events[i+1:], e) {
				out.Answer(&c, e)
			}
		case e.Kind == history.SystemCall:
			out.message(&c, e)
		case e.Kind == history.TimerFired:
			out.fired(&c, e)
		case e.Kind == history.OrchestrationSuspended && e.LimitKey != "" && !closed:
			out.asks(&c, e)
		case e.Kind == history.OrchestrationSuspended && e.FireAtMS > 0 && !closed:
			out.resumes(&c, e)
		case redriving.Releases(e):
			out.letGo(&c, e, cancelled)
		case closed:
		case e.Kind == history.ActivityScheduled:
			out.activity(&c, e, e.AtMS)
		case e.Kind == history.TimerCreated:
			out.timer(&c, e)
		case e.Kind == history.SubOrchestrationScheduled:
			out.child(&c, e, onConflict(e), nil)
		}
	}
	for i, id := range c.Cancelled {
		out.place.at = position{c.ExecutionID, c.Last(), 1 + i}
		switch { // an operation that this commit itself scheduled was not sent
		case id <= copied:
			out.cancelHeld(&c, id)
		case id < c.First():
			out.cancel(&c, id, c.Opened[id], c.ExecutionID)
		}
	}
	out.place.at = position{c.ExecutionID, c.Last(), 1 + len(c.Cancelled)}
	for i := range c.Unanswered {
		e := c.Unanswered[i]
		if e.Kind == history.ExternalEvent {
			e = Refusal(&wire.Item{Name: e.Name, ID: e.SenderID, ReplyTo: e.Instance}, "the instance has ended before it decided about the update")
		}
		item := reply(&e)
		out.sendOrRefuse(&c, e.EventID, &item, "reply", unreplied(&e))
	}
	if Ends(c.Turn) {
		end, headers := &c.Events[len(c.Events)-1], c.headers(out.Propagate, nil)
		if c.Start.Parent != nil {
			out.Parent(c.Start.Parent, c.Instance, c.Name, end, headers)
		}
		for _, p := range c.Parents {
			out.Parent(p, c.Instance, c.Name, end, headers)
		}
	}
	out.Chain.commits(c.Turn, out.Loop)
}

// decides reports whether an event is a decision about an update, or its answer.
func decides(e *history.Event) bool {
	_, update := e.Update()
	return update && e.Kind != history.ExternalEvent
}

// answered reports whether one of the later events of the same commit answers the update that e accepts.
func answered(later []history.Event, e *history.Event) bool {
	return e.Op == history.OpAcceptUpdate && slices.ContainsFunc(later, func(l history.Event) bool {
		return l.Op == history.OpAnswerUpdate && l.SourceEventID == e.SourceEventID
	})
}

// Answer puts the answer that an event gives to the caller of an update, and sends it to the instance
// that sent the update. A commit without an execution is one that was not made: its event refuses the
// update. Without a start, there is no caller to answer.
func (out *Outbox) Answer(c *Commit, e *history.Event) {
	if c.ExecutionID > 0 || c.Start.StartID != "" {
		a, err := out.Edge.Answer(store.Answer{
			AnswerKey:   store.AnswerKey{Instance: c.Instance, StartID: c.Start.StartID, ID: e.SenderID},
			ExecutionID: c.ExecutionID, Event: *e, ExpiresAt: out.Now.Add(store.AnswerRetention),
		})
		if err != nil {
			out.failed(fmt.Errorf("the answer to update %q of instance %q: %w", e.SenderID, c.Instance, err))
			return
		}
		out.put(outgoing{route: toAnswer, answer: a})
		out.note("answer", e.EventID, "")
	}
	if e.Instance != "" && e.Op != history.OpAcceptUpdate {
		item := reply(e)
		out.sendOrRefuse(c, e.EventID, &item, "reply", unreplied(e))
	}
}

func unreplied(e *history.Event) string {
	return fmt.Sprintf("could not send the answer to update %q to instance %q", e.SenderID, e.Instance)
}

// reply returns the event that answers the update of an instance: its data is the last event about the
// update. An output that does not fit into the event becomes a failure.
func reply(e *history.Event) wire.Item {
	document := store.EncodeAnswer(e)
	if size, limit := len(document), wire.DefaultLimits().Payload; size > limit {
		large := *e
		large.Payload, large.Failure = nil, &history.Failure{Kind: history.FailureTooLarge, Message: fmt.Sprintf(
			"the answer has %d bytes, and at most %d fit into an answer to an instance; return a reference to data that you store elsewhere", size, limit)}
		document = store.EncodeAnswer(&large)
	}
	return wire.Item{V: wire.Version, Kind: wire.ExternalRaised, Instance: e.Instance, ID: "answer-" + e.SenderID,
		Name: history.AnswerPrefix + e.SenderID, Data: document}
}

// Refusal returns the answer to an update that an instance has not recorded.
func Refusal(request *wire.Item, reason string) history.Event {
	return history.Event{Kind: history.ExternalRejected, EventID: 1, Name: request.Name, SenderID: request.ID, Instance: request.ReplyTo, Reason: reason}
}

// token returns the token of a scheduling event that was recorded at atMS. If a different key has
// become current, the token differs from the one that was sent before; both are valid.
func (out *Outbox) token(c *Commit, eventID, atMS int64) string {
	return out.Keys.Token(c.Instance, c.ExecutionID, eventID, atMS)
}

// Named returns the events of earlier commits about which a commit sends something: those that it
// cancelled, and timers that an operator fired early.
func Named(t *store.Turn) []int64 {
	named := t.Cancelled
	for i := range t.Events {
		if e := &t.Events[i]; firedEarly(e) {
			named = append(slices.Clip(named), e.SourceEventID)
		}
	}
	return named
}

func firedEarly(e *history.Event) bool { return e.Kind == history.TimerFired && e.SenderID != "" }

// headers adds the commit's propagated headers to others, if they fit together.
func (c *Commit) headers(propagate host.Propagator, others map[string]string) map[string]string {
	if propagate == nil {
		return others
	}
	all := header.Merge(others, propagate(c.Instance, c.ExecutionID, c.First()))
	if wire.CheckHeaders(all) != nil {
		return others
	}
	return all
}

// startHeaders returns the headers of the operation that an event starts.
func (c *Commit) startHeaders(propagate host.Propagator, e *history.Event) map[string]string {
	return c.headers(propagate, header.Merge(c.Start.Headers, e.Headers))
}

// parentOf returns the instance as the parent that started a child in an execution.
func parentOf(keys *keyring.Ring, instance string, executionID, eventID, atMS int64) *wire.Parent {
	return &wire.Parent{Instance: instance, ExecutionID: executionID, EventID: eventID, Token: keys.Token(instance, executionID, eventID, atMS)}
}

// cancelReason returns why a turn cancelled its operations, and whether it terminated the instance.
func cancelReason(events []history.Event) (reason string, terminated bool) {
	for i := range events {
		switch e := &events[i]; {
		case e.Kind == history.OrchestrationCancelRequested:
			reason = e.Reason
		case e.Kind == history.OrchestrationFailed && e.Forced == history.ForcedByOperator:
			return e.Failure.Message, true
		}
	}
	return reason, false
}

// ChildID returns the id of the start that a parent sends for an event.
func ChildID(parent string, executionID, eventID int64) string {
	return derivedID("child", parent, executionID, eventID)
}

// id returns the id of the message that an event of a commit sends.
func (c *Commit) id(what string, eventID int64) string {
	return derivedID(what, c.Instance, c.ExecutionID, eventID)
}

// derivedID returns the same id each time for the same arguments.
func derivedID(what, instance string, executionID, eventID int64) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d %d %s", what, executionID, eventID, instance)
	return what + "-" + hex.EncodeToString(h.Sum(nil)[:16])
}

// Place is the position of an event in the histories of an instance.
type Place struct{ Execution, EventID int64 }

// PlaceOf returns the position at which a commit begins.
func PlaceOf(t *store.Turn) Place { return Place{t.ExecutionID, t.First()} }
