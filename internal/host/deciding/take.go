package deciding

import (
	"cmp"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// take handles the messages in their order. Arrivals that are recorded are handled together, in a
// round, up to an item that is handled by itself.
func (t *Turn) take(p *Plan) error {
	if !t.passed.taking {
		t.inOrder()
		t.passed.taking, t.passed.rest = true, t.open()
	}
	for {
		if err := t.proceed(p); err != nil || !p.empty() {
			return err
		}
		if len(t.passed.rest) == 0 {
			return nil
		}
		if t.passed.found {
			p.Over = true
			return nil
		}
		if forked, err := t.fork(p, t.passed.rest[0]); forked || err != nil {
			return err
		}
		if starts, err := t.restart(p, t.passed.rest[0]); starts || err != nil {
			return err
		}
		t.passed.found = t.found(t.passed.rest[0])
		if n := t.apart(t.passed.rest); n > 0 {
			t.round, t.passed.rest = &round{messages: t.passed.rest[:n], then: (*Turn).sortOut}, t.passed.rest[n:]
			continue
		}
		m := t.passed.rest[0]
		if m.State != inbox.Unsettled {
			t.passed.rest = t.passed.rest[1:] // It came after a purge, and was for the ended instance.
			continue
		}
		if m.Item.Kind == wire.PurgeInstance {
			return t.purge(p, m)
		}
		if err := t.terminate(p, m); err != nil || !p.empty() {
			return err
		}
	}
}

// inOrder puts the messages into the order of the batch, except that the start that creates the
// instance is first. So the events of another start are recorded at that start's position.
func (t *Turn) inOrder() {
	var first *inbox.Message
	if t.Running.Creating && t.Running.Redriven == nil { // A redrive keeps its position.
		first = NewStart(t.View.Record, t.open())
	}
	if first != nil && restarts(first) {
		first = nil // It keeps its position too.
	}
	place := func(m *inbox.Message) int {
		if m == first {
			return -1
		}
		return m.Place
	}
	compare := func(a, b *inbox.Message) int { return cmp.Compare(place(a), place(b)) }
	if behind := behindPurges(t.Group.Messages); !slices.IsSortedFunc(t.Group.Messages[behind:], compare) {
		t.Group.Messages = slices.Clone(t.Group.Messages)
		slices.SortStableFunc(t.Group.Messages[behind:], compare)
	}
}

// apart returns how many messages come before one that is handled by itself, or that may restart
// the instance if they end it. A start that may restart the instance is handled by itself too.
func (t *Turn) apart(messages []*inbox.Message) int {
	for n, m := range messages {
		if m.Item.Kind == wire.TerminateInstance || m.Item.Kind == wire.PurgeInstance || n > 0 && (restarts(m) || t.found(messages[0])) {
			return n
		}
	}
	return len(messages)
}

// found reports whether a start that may restart the instance has found it running and leaves no
// trace of that in the history. A redelivered start whose events the execution has accepted has no
// effect.
func (t *Turn) found(m *inbox.Message) bool {
	return restarts(m) && !t.Running.Creating && m.Item.ID != t.Running.Started().Start.StartID && len(t.brought(m)) == 0
}

// sortOut separates the messages of a round into arrivals and wakes.
func (t *Turn) sortOut(p *Plan) error {
	r := t.round
	for _, m := range r.messages {
		switch {
		case m.Item.Kind == wire.Wake:
			r.wakes.messages = append(r.wakes.messages, m)
		case t.foreignParent(m):
			t.ofAnotherParent(p, m)
		case forbids(t.View.Record, m):
			p.settle(m, "duplicate")
		default:
			r.pending = append(append(r.pending, t.brought(m)...), m)
		}
	}
	r.then = (*Turn).wake
	return nil
}

// foreignParent reports whether a cancel or terminate that a parent sent to its child has reached
// another instance: one whose id the parent wanted for a child and could not have.
func (t *Turn) foreignParent(m *inbox.Message) bool {
	if !m.EndsChild() {
		return false
	}
	own := t.ownParent()
	if own != nil && tookOver(own, m) && t.waitsFor(m.Item.Parent) {
		return false
	}
	return own == nil || *own != *recordedParent(m.Item.Parent)
}

// ownParent returns the parent that has started the execution or is starting it; nil for none.
func (t *Turn) ownParent() *history.Parent {
	if t.Running.Creating {
		if start := NewStart(t.View.Record, t.open()); start != nil {
			return recordedParent(start.Item.Parent)
		}
	}
	return t.Running.Started().Start.Parent
}

// tookOver reports whether a message that ends a child comes from a later execution of the child's
// parent, which has copied the child's start in a redrive: then it is the child of that execution
// too. The origin of the message is the first execution that had the start in its history.
func tookOver(own *history.Parent, m *inbox.Message) bool {
	by, since := m.Item.Parent, m.Item.Origin
	return since != nil && own.Instance == by.Instance && own.EventID == by.EventID && own.ExecutionID >= since.ExecutionID && own.ExecutionID < by.ExecutionID
}

// waitsFor reports whether a parent waits for the instance by a start of its own.
func (t *Turn) waitsFor(by *wire.Parent) bool {
	parent := recordedParent(by)
	return t.Running.X != nil && slices.ContainsFunc(t.Running.X.Attached(), func(p *history.Parent) bool { return *p == *parent })
}
