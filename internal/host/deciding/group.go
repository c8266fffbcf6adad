package deciding

import (
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Part is the part of a batch for one instance: one turn, and deletions.
type Part struct {
	Group
	// Deletions are the messages that request the deletion of histories. They cause no turn.
	Deletions []*inbox.Message
}

// Group has the messages of one turn.
type Group struct {
	Messages []*inbox.Message
	// All are the messages of the batch from which turns of the instance are made: more than Messages
	// if the turn was too large and was split.
	All []*inbox.Message
	// Suspect is the id of the message with which the instance is marked while its turn is made; empty
	// if no message is suspected.
	Suspect string
	// Marked is set if this invocation has marked the instance with Suspect.
	Marked bool
	// TooLarge is the error of the commit that was too large: the instance must fail.
	TooLarge *store.TooLargeError
	// Sent are the commits whose actions this invocation has sent, by their first event.
	Sent map[dispatch.Place]bool
}

// GroupsOf groups the unsettled messages by the instance that their body names, whatever their
// message group was. Within a group the order of the batch is kept, except that a start is moved
// before all messages after the last purge, because an event of the same batch may be waiting for
// the instance that it starts. If the start does not start the instance, the messages are handled
// in their original order (inOrder). A start that may restart an ended instance keeps its position:
// the messages before it are for the previous execution, and the messages after it, including other
// starts, are not.
func GroupsOf(messages []*inbox.Message, suspectedReceives int) []*Part {
	var groups []*Part
	byInstance := map[string]*Part{}
	for _, m := range messages {
		if m.State != inbox.Unsettled || m.Item.Kind == wire.Sweep {
			continue
		}
		target := m.Item.Target()
		g := byInstance[target]
		if g == nil {
			g = &Part{Group: Group{Sent: map[dispatch.Place]bool{}}}
			byInstance[target] = g
			groups = append(groups, g)
		}
		if m.Deletes() {
			g.Deletions = append(g.Deletions, m)
			continue
		}
		m.Place = len(g.Messages)
		g.Messages = append(g.Messages, m)
	}
	for _, g := range groups {
		g.All, g.Suspect = g.Messages, suspectOf(g.Messages, suspectedReceives)
		startsFirst(g.Messages[behindPurges(g.Messages):])
	}
	return groups
}

// behindPurges returns the number of messages up to the last purge.
func behindPurges(messages []*inbox.Message) int {
	behind := len(messages)
	for behind > 0 && !messages[behind-1].Purges() {
		behind--
	}
	return behind
}

// suspectOf returns the id of the first message that was received so often that it may be a poison
// message; empty for none.
func suspectOf(messages []*inbox.Message, receives int) string {
	for _, m := range messages {
		if receives > 0 && m.ReceiveCount >= receives {
			return m.ID
		}
	}
	return ""
}

// startsFirst moves starts to the front. It does not move a start that keeps its position, and
// moves no start past such a start.
func startsFirst(messages []*inbox.Message) {
	if i := slices.IndexFunc(messages, restarts); i >= 0 {
		startsFirst(messages[:i])
		startsFirst(messages[i+1:])
		return
	}
	slices.SortStableFunc(messages, func(a, b *inbox.Message) int {
		return boolInt(goesFirst(b)) - boolInt(goesFirst(a))
	})
}

func goesFirst(m *inbox.Message) bool { return m.Item.Kind == wire.StartOrchestration }

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Instance returns the id of the instance.
func (g *Group) Instance() string { return g.All[0].Item.Target() }

// Open returns the messages that are not settled.
func (g *Group) Open() []*inbox.Message { return inbox.Left(g.Messages) }

// Batch returns all messages of the batch for the instance.
func (g *Part) Batch() []*inbox.Message {
	if len(g.Deletions) == 0 {
		return g.All // The usual case, which allocates nothing.
	}
	return slices.Concat(g.All, g.Deletions)
}

// Half returns a group of some of the messages.
func (g *Group) Half(messages []*inbox.Message) *Group {
	return &Group{Messages: messages, All: g.All, Suspect: g.Suspect, Sent: g.Sent}
}

// Rest returns a group of the messages that are not settled. The settled messages must be deleted
// from the queue before the turn of that group is made.
func (g *Group) Rest(suspectedReceives int) *Group {
	rest := &Group{Messages: g.Open(), All: inbox.Left(g.All), Sent: g.Sent}
	rest.Suspect = suspectOf(rest.Messages, suspectedReceives)
	return rest
}

// Chain returns the chain of the turn that was cut short and that the wakes of this group continue.
// The first round of this turn continues the last round of that turn.
func (g *Group) Chain() dispatch.Chain {
	var c dispatch.Chain
	for _, m := range g.Messages {
		if m.Item.Kind == wire.Wake {
			c.Depth = max(c.Depth, m.Item.Depth)
		}
	}
	c.Open = c.Depth > 0
	return c
}

// Progress returns the messages whose recorded dispatch progress may be used. An operator wakes an
// instance because some of its messages may be lost, so while such a wake is open, no progress of
// other messages is used.
func (g *Group) Progress() []*inbox.Message {
	var wakes []*inbox.Message
	for _, m := range inbox.Left(g.All) {
		if m.Item.Kind == wire.Wake && m.Item.Number == 0 {
			wakes = append(wakes, m)
		}
	}
	if len(wakes) > 0 {
		return wakes
	}
	return g.Messages
}

// Dispatched records that the actions of commits were sent.
func (g *Group) Dispatched(commits []dispatch.Commit) {
	for i := range commits {
		g.Sent[dispatch.PlaceOf(commits[i].Turn)] = true
	}
}

// Arrived returns the depth of the message that reported an event; false if no message of the
// group did.
func (g *Group) Arrived(c *store.Turn, e *history.Event) (depth int, ok bool) {
	for _, m := range g.Messages {
		if broughtBy(&m.Item, c.ExecutionID, e) {
			return m.Item.Depth, true
		}
	}
	return 0, false
}

// bringer returns the first open message that reports an event of an execution; nil if there is
// none.
func (g *Group) bringer(execution int64, e *history.Event) *inbox.Message {
	for _, m := range g.Messages {
		if m.State == inbox.Unsettled && broughtBy(&m.Item, execution, e) {
			return m
		}
	}
	return nil
}

// broughtBy reports whether an item reported an event of an execution.
func broughtBy(i *wire.Item, execution int64, e *history.Event) bool {
	switch e.Kind {
	case history.OrchestrationStarted, history.ParentAttached:
		return i.Kind == wire.StartOrchestration && e.Start != nil && (e.Start.StartID == i.ID || e.Kind == history.ParentAttached && i.Parent != nil &&
			e.Start.Parent != nil && *e.Start.Parent == *recordedParent(i.Parent))
	case history.ExternalEvent, history.OrchestrationCancelRequested, history.OrchestrationSuspended, history.OrchestrationResumed, history.OrchestrationRedriven:
		return i.ID != "" && e.SenderID == i.ID
	}
	return i.SourceEventID != 0 && i.SourceEventID == e.SourceEventID && i.TargetExecution() == execution
}

// Causes returns the messages that have headers.
func (g *Group) Causes() []host.Cause {
	var all []host.Cause
	for _, m := range g.Messages {
		if i := &m.Item; len(i.Headers) > 0 {
			all = append(all, host.Cause{Kind: string(i.Kind), SourceEventID: i.SourceEventID, Attempt: i.Attempt, Headers: i.Headers})
		}
	}
	return all
}

// onlyHides reports whether the messages only hide an ended instance, which needs no key of its
// history. A forced purge waits for the key, because the terminate that was sent before it may be
// requeued until the key is available, and may still have messages to send.
func (g *Group) onlyHides() bool {
	return !slices.ContainsFunc(g.Open(), func(m *inbox.Message) bool { return !m.Purges() || m.Item.Force })
}

// onlyPurges reports whether all messages are purges.
func (g *Group) onlyPurges() bool {
	return !slices.ContainsFunc(g.Open(), func(m *inbox.Message) bool { return m.Item.Kind != wire.PurgeInstance })
}
