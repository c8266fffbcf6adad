package orchestrator

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/clock"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/delivery"
	"github.com/turnstile-go/turnstile/host/internal/dispatch"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/internal/logattr"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// group is what a batch holds for one instance: one turn.
type group struct {
	instance string
	messages []*inbox.Message
	// all are the messages of the batch for the instance: more than messages where
	// the turn was too large for them.
	all []*inbox.Message
	// suspect is the id of the message under which the instance is marked
	// while its turn is made; empty where nothing is suspected.
	suspect string
	// marked: this invocation has marked the instance with it.
	marked bool
	// tooLarge is the commit that could not be made: the instance is to fail.
	tooLarge *store.TooLargeError
	// sent are the commits whose actions this invocation has sent, by slot.
	sent map[dispatch.Place]bool
}

// groupsOf gathers the unsettled messages by the instance that their body
// names, whatever the message group was. The order within a group is that of
// the batch, but for a start, which is taken ahead of all that stands behind the
// last purge: an event of the same batch waits for it.
func groupsOf(messages []*inbox.Message, suspectReceives int) []*group {
	var groups []*group
	byInstance := map[string]*group{}
	for _, m := range messages {
		if m.State != inbox.Unsettled || m.Item.Kind == wire.Sweep {
			continue
		}
		target := m.Item.Target()
		g := byInstance[target]
		if g == nil {
			g = &group{instance: target, sent: map[dispatch.Place]bool{}}
			byInstance[target] = g
			groups = append(groups, g)
		}
		g.messages = append(g.messages, m)
		if g.suspect == "" && suspectReceives > 0 && m.ReceiveCount >= suspectReceives {
			g.suspect = m.ID
		}
	}
	for _, g := range groups {
		g.all = g.messages
		behind := len(g.messages)
		for behind > 0 && !g.messages[behind-1].Purges() {
			behind--
		}
		startsFirst(g.messages[behind:])
	}
	return groups
}

func startsFirst(messages []*inbox.Message) {
	slices.SortStableFunc(messages, func(a, b *inbox.Message) int {
		return boolInt(b.Item.Kind == wire.StartOrchestration) - boolInt(a.Item.Kind == wire.StartOrchestration)
	})
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// open returns the messages not yet settled.
func (g *group) open() []*inbox.Message { return inbox.Left(g.messages) }

// runGroup makes the turn of a group. What is unsettled afterwards goes back.
//
// A turn that went by the cache, and is stale, is made again by what is stored, and so is
// one that has lost a commit, a few times.
func (o *maker) runGroup(ctx context.Context, g *group) {
	ctx = logattr.Subject{Instance: g.instance}.In(ctx)
	began := o.Clock.Now()
	cold := g.tooLarge != nil
	for tries := 1; ; tries, cold = tries+1, true {
		if !clock.HasTime(ctx, o.Clock, o.Settings.Turn.Time) {
			o.FailAll(g.messages, "no time")
			return
		}
		t := &turn{maker: o, group: g, cold: cold, View: o.source.View(g.instance), sent: sent{began: began, chain: g.chain()}}
		err := t.handle(ctx)
		t.release(t.about(ctx), err)
		if end := t.endOf(err); !(end == stale && !cold || end == lost && tries <= mostLost) {
			o.endGroup(t.about(ctx), g, end, err, o.Clock.Now().Sub(began))
			return
		}
	}
}

// mostLost is how often a turn is made again that has lost a commit.
const mostLost = 3

// end is how an attempt at a turn ended.
type end uint8

const (
	// made: its messages are settled.
	made end = iota
	// stale: what it learned from a warm or partly known instance has to be learned
	// from what is stored.
	stale
	// lost: its commit was refused, and nothing of it was dispatched.
	lost
	// large: no commit can hold it.
	large
	// unpatched and newer: another build is to make it.
	unpatched
	newer
	// broken: its messages come back.
	broken
)

// endOf tells by the error of an attempt how it ended, and counts a conflict.
func (t *turn) endOf(err error) end {
	switch {
	case err == nil:
		return made
	case errors.Is(err, errRebuild):
		return stale
	case isA[*store.TooLargeError](err):
		return large
	case errors.Is(err, store.ErrConflict):
		t.Observer.Count(host.CountConflicts, t.heat(), 1)
		return lost
	case isA[*patchError](err):
		return unpatched
	case errors.Is(err, history.ErrNewer), edge.MissesCodec(err):
		return newer
	}
	return broken
}

func isA[E error](err error) bool {
	_, is := errors.AsType[E](err)
	return is
}

// endGroup does with the messages of a group what the end of its last attempt asks
// for.
func (o *maker) endGroup(ctx context.Context, g *group, e end, err error, took time.Duration) {
	switch {
	case e == made:
		o.Observer.Timing(host.TimeTurn, took)
		o.FailAll(g.messages, "not handled")
	case e == large && len(g.open()) > 1:
		o.runHalves(ctx, g)
	case e == large && g.tooLarge == nil:
		g.tooLarge, _ = errors.AsType[*store.TooLargeError](err)
		o.runGroup(ctx, g)
	case e == unpatched:
		o.anotherBuild(ctx, g, err)
	case e == newer:
		o.newer(ctx, g, err)
	case e == lost:
		o.Logger.InfoContext(ctx, "turn lost to another process, its messages go back", "instance", g.instance, "error", err)
		o.FailAll(g.messages, "conflict")
	case errors.Is(err, dispatch.ErrCutShort):
		o.Logger.InfoContext(ctx, "dispatch cut short, it goes on when its messages come back", "instance", g.instance, "error", err)
		o.FailAll(g.messages, "no time")
	default:
		o.Logger.WarnContext(ctx, "turn failed, its messages go back", "instance", g.instance, "error", err)
		o.FailAll(g.messages, delivery.Word(err, dispatch.ErrUnsent))
	}
}

// runHalves makes two turns of one that is too large: an instance must not fail
// for what happened to come in one batch. Nothing is taken behind a failure.
func (o *maker) runHalves(ctx context.Context, g *group) {
	open := g.open()
	for _, half := range [][]*inbox.Message{open[:len(open)/2], open[len(open)/2:]} {
		part := &group{instance: g.instance, messages: half, all: g.all, suspect: g.suspect, sent: g.sent}
		o.runGroup(ctx, part)
		if slices.ContainsFunc(half, func(m *inbox.Message) bool { return m.State == inbox.Failed }) {
			o.FailAll(g.messages, "behind a failure")
			return
		}
	}
}

// causes are the messages that have headers.
func (g *group) causes() []host.Cause {
	var all []host.Cause
	for _, m := range g.messages {
		if i := &m.Item; len(i.Headers) > 0 {
			all = append(all, host.Cause{Kind: i.Kind, SourceEventID: i.SourceEventID, Attempt: i.Attempt, Headers: i.Headers})
		}
	}
	return all
}
