package deciding

import (
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// restarts reports whether a message is a start that may restart or redrive an ended instance. Such
// a start keeps its position among the messages: the messages before it are for the previous
// execution.
func restarts(m *inbox.Message) bool {
	return m.Item.Kind == wire.StartOrchestration && m.Item.OnConflict.StartsNext()
}

// redrives reports whether a message is a start that continues an ended instance where it failed.
func redrives(m *inbox.Message) bool {
	return m.Item.Kind == wire.StartOrchestration && m.Item.OnConflict.Redrives()
}

// forks reports whether a message is a start that forks an instance.
func forks(m *inbox.Message) bool {
	o := m.Item.Origin
	return m.Item.Kind == wire.StartOrchestration && o != nil && o.Instance != "" && o.Instance != m.Item.Instance
}

// forking reports whether the record is that of a fork that has not started.
func forking(r *store.Record) bool {
	return r != nil && !r.Purged && r.Status == store.StatusForking
}

// recordedParent returns a parent as it is recorded in the history of its child: without its token,
// because a reader of the child's history could complete the parent's event with it. The time of
// the event is kept, so that the token can be computed again.
func recordedParent(p *wire.Parent) *history.Parent {
	if p == nil {
		return nil
	}
	atMS, _ := keyring.EventTime(p.Token)
	return &history.Parent{Instance: p.Instance, ExecutionID: p.ExecutionID, EventID: p.EventID, AtMS: atMS}
}
