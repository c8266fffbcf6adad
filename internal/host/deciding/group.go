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

// Group is what a batch holds for one instance: one turn, and deletions.
type Group struct {
	Instance string
	Messages []*inbox.Message
	// All are the messages of the batch of which the turn of the instance is made: more
	// than Messages where it was too large for them.
	All []*inbox.Message
	// Deletions are the messages that ask for histories to be deleted. They make no turn.
	Deletions []*inbox.Message
	// Suspect is the id of the message under which the instance is marked
	// while its turn is made; empty where nothing is suspected.
	Suspect string
	// Marked: this invocation has marked the instance with it.
	Marked bool
	// TooLarge is the commit that could not be made: the instance is to fail.
	TooLarge *store.TooLargeError
	// Sent are the commits whose actions this invocation has sent, by slot.
	Sent map[dispatch.Place]bool
}

// GroupsOf gathers the unsettled messages by the instance that their body names, whatever the
// message group was. The order within a group is that of the batch, but for a start, which is
// taken before all that follows the last purge, because it may begin the instance for which an
// event of the same batch waits. If it does not, the messages are taken in their order (inOrder). A
// start that may begin an ended instance again keeps its place: the messages before it are
// for the execution before, and those after it, other starts among them, are not.
func GroupsOf(messages []*inbox.Message, suspectReceives int) []*Group {
	var groups []*Group
	byInstance := map[string]*Group{}
	for _, m := range messages {
		if m.State != inbox.Unsettled || m.Item.Kind == wire.Sweep {
			continue
		}
		target := m.Item.Target()
		g := byInstance[target]
		if g == nil {
			g = &Group{Instance: target, Sent: map[dispatch.Place]bool{}}
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
		g.All, g.Suspect = g.Messages, suspectOf(g.Messages, suspectReceives)
		startsFirst(g.Messages[behindPurges(g.Messages):])
	}
	return groups
}

// behindPurges returns how many messages there are up to the last purge.
func behindPurges(messages []*inbox.Message) int {
	behind := len(messages)
	for behind > 0 && !messages[behind-1].Purges() {
		behind--
	}
	return behind
}

// suspectOf returns the id of the first message that was received so often that it may have
// killed its process; empty for none.
func suspectOf(messages []*inbox.Message, receives int) string {
	for _, m := range messages {
		if receives > 0 && m.ReceiveCount >= receives {
			return m.ID
		}
	}
	return ""
}

// startsFirst moves starts to the front, but moves none past a start that keeps its place, nor
// that start.
func startsFirst(messages []*inbox.Message) {
	if i := slices.IndexFunc(messages, beginsAgain); i >= 0 {
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

// Open returns the messages not yet settled.
func (g *Group) Open() []*inbox.Message { return inbox.Left(g.Messages) }

// Batch returns all that the batch holds for the instance.
func (g *Group) Batch() []*inbox.Message {
	if len(g.Deletions) == 0 {
		return g.All // As in most turns: nothing is allocated.
	}
	return slices.Concat(g.All, g.Deletions)
}

// Half returns a group of some of the messages.
func (g *Group) Half(messages []*inbox.Message) *Group {
	return &Group{Instance: g.Instance, Messages: messages, All: g.All, Suspect: g.Suspect, Sent: g.Sent}
}

// Rest returns a group of what is not settled yet. What is settled must have been deleted from
// the queue before its turn is made.
func (g *Group) Rest(suspectReceives int) *Group {
	rest := &Group{Instance: g.Instance, Messages: g.Open(), All: inbox.Left(g.All), Sent: g.Sent}
	rest.Suspect = suspectOf(rest.Messages, suspectReceives)
	return rest
}

// Chain is what the wakes of a group go on with: a turn that was cut short. The round of
// this turn takes in what such a turn had begun.
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

// Progress returns the messages for which it is noted how far a dispatch came that stopped
// short, and whose notes count. An operator wakes an instance because something of it may be
// lost: while such a wake is open, no note of another message counts.
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

// Dispatched takes in that the actions of commits were sent.
func (g *Group) Dispatched(commits []dispatch.Commit) {
	for i := range commits {
		g.Sent[dispatch.PlaceOf(commits[i].Turn)] = true
	}
}

// Arrived returns the depth of the message that brought an event; false where none of
// the group has.
func (g *Group) Arrived(c *store.Turn, e *history.Event) (depth int, ok bool) {
	for _, m := range g.Messages {
		if broughtBy(&m.Item, c.ExecutionID, e) {
			return m.Item.Depth, true
		}
	}
	return 0, false
}

// broughtBy reports whether an event of an execution is what an item says.
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

// Causes are the messages that have headers.
func (g *Group) Causes() []host.Cause {
	var all []host.Cause
	for _, m := range g.Messages {
		if i := &m.Item; len(i.Headers) > 0 {
			all = append(all, host.Cause{Kind: string(i.Kind), SourceEventID: i.SourceEventID, Attempt: i.Attempt, Headers: i.Headers})
		}
	}
	return all
}

// onlyHides reports whether the messages only hide an ended instance, which needs no key
// of its history. A purge with force waits for the key: the terminate that was sent
// before it may go round for that, with what it has still to send.
func (g *Group) onlyHides() bool {
	return !slices.ContainsFunc(g.Open(), func(m *inbox.Message) bool { return !m.Purges() || m.Item.Force })
}

// onlyPurges reports whether all messages are purges.
func (g *Group) onlyPurges() bool {
	return !slices.ContainsFunc(g.Open(), func(m *inbox.Message) bool { return m.Item.Kind != wire.PurgeInstance })
}
