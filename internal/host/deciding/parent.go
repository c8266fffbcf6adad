package deciding

import (
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// foreignParent reports whether a cancel or terminate that a parent sent to its child has reached a
// different instance, which already had the id that the parent wanted for the child.
func (a absent) foreignParent(m *inbox.Message) bool {
	if !m.EndsChild() {
		return false
	}
	own := a.ownParent()
	if own != nil && tookOver(own, m) && a.waitsFor(m.Item.Parent) {
		return false
	}
	return own == nil || *own != *recordedParent(m.Item.Parent)
}

// ownParent returns the parent that has started the execution or is starting it; nil for none.
func (a absent) ownParent() *history.Parent {
	if a.Running.Creating() {
		if start := NewStart(a.View.Record, a.Group.Open()); start != nil {
			return recordedParent(start.Item.Parent)
		}
	}
	return a.Running.Started().Start.Parent
}

// waitsFor reports whether a parent waits for the instance because of the parent's own start.
func (a absent) waitsFor(by *wire.Parent) bool {
	parent := recordedParent(by)
	return a.Running.X != nil && slices.ContainsFunc(a.Running.X.Attached(), func(p *history.Parent) bool { return *p == *parent })
}

// tookOver reports whether a message that ends a child comes from a later execution of the child's
// parent, which has copied the child's start in a redrive. The instance is then also the child of
// that later execution. The origin of the message is the first execution that had the start in its
// history.
func tookOver(own *history.Parent, m *inbox.Message) bool {
	by, since := m.Item.Parent, m.Item.Origin
	return since != nil && own.Instance == by.Instance && own.EventID == by.EventID && own.ExecutionID >= since.ExecutionID && own.ExecutionID < by.ExecutionID
}
