package host

import (
	"context"
	"errors"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// group is what a batch holds for one instance: one turn.
type group struct {
	instance string
	messages []*message
	// all are the messages of the batch for the instance: more than messages where
	// the turn was too large for them.
	all []*message
	// suspect is the id of the message under which the instance is marked
	// while its turn is made; empty where nothing is suspected.
	suspect string
	// marked: this invocation has marked the instance with it.
	marked bool
	// tooLarge is the commit that could not be made: the instance is to fail.
	tooLarge *store.TooLargeError
	// sent are the commits whose actions this invocation has sent, by slot.
	sent map[place]bool
}

// groupsOf gathers the unsettled messages by the instance that their body
// names, whatever the message group was. The order within a group is that of
// the batch, but for a start, which is taken ahead of all that stands behind the
// last purge: an event of the same batch waits for it.
func groupsOf(messages []*message, suspectReceives int) []*group {
	var groups []*group
	byInstance := map[string]*group{}
	for _, m := range messages {
		if m.state != unsettled || m.item.Kind == wire.Sweep {
			continue
		}
		target := m.item.Target()
		g := byInstance[target]
		if g == nil {
			g = &group{instance: target}
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
		for behind > 0 && !g.messages[behind-1].purges() {
			behind--
		}
		startsFirst(g.messages[behind:])
	}
	return groups
}

func startsFirst(messages []*message) {
	slices.SortStableFunc(messages, func(a, b *message) int {
		return boolInt(b.item.Kind == wire.StartOrchestration) - boolInt(a.item.Kind == wire.StartOrchestration)
	})
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// hasSent notes that the actions of a commit have been sent.
func (g *group) hasSent(slot place) {
	if g.sent == nil {
		g.sent = map[place]bool{}
	}
	g.sent[slot] = true
}

// open returns the messages not yet settled.
func (g *group) open() []*message {
	var open []*message
	for _, m := range g.messages {
		if m.state == unsettled {
			open = append(open, m)
		}
	}
	return open
}

// runGroup makes the turn of a group. What is unsettled afterwards goes back.
func (o *Orchestrator) runGroup(ctx context.Context, g *group) {
	ctx = subject{instance: g.instance}.in(ctx)
	began := o.Clock.Now()
	cold := false
	for conflicts, rebuilt := 0, false; ; cold = true {
		if !hasTime(ctx, o.Clock, o.Settings.TurnTime) {
			o.failOpen(g, "no time")
			return
		}
		t := &turn{Orchestrator: o, group: g, cold: cold, began: began}
		err := t.handle(ctx)
		t.release(t.about(ctx), err)
		var tooLarge *store.TooLargeError
		var patched *patchError
		switch {
		case err == nil:
			o.Observer.Timing(TimeTurn, o.Clock.Now().Sub(began))
			o.failOpen(g, "not handled")
			return
		case errors.Is(err, errRebuild) && !rebuilt:
			rebuilt = true
			continue
		case errors.As(err, &tooLarge) && len(g.open()) > 1:
			o.runHalves(ctx, g)
			return
		case errors.As(err, &tooLarge) && g.tooLarge == nil:
			g.tooLarge = tooLarge
			continue
		case errors.Is(err, store.ErrConflict):
			// Whoever lost dispatches nothing: reload and run again.
			o.Observer.Count(CountConflicts, t.heat(), 1)
			if conflicts++; conflicts < o.Settings.TurnAttempts {
				if !t.warm || t.confirmed {
					// No stale cache lost: another process is at this instance.
					// Nobody knows whether what it committed is sent.
					for _, m := range g.open() {
						m.handled = true
					}
				}
				continue
			}
			o.Logger.InfoContext(t.about(ctx), "turn lost to other writers", "instance", g.instance, "attempts", conflicts, "error", err)
			o.failOpen(g, "conflict")
			return
		case errors.As(err, &patched):
			o.anotherBuild(t.about(ctx), g, patched)
			return
		case errors.Is(err, history.ErrNewer), missesCodec(err):
			o.newer(t.about(ctx), g, err)
			return
		}
		if errors.Is(err, errCutShort) {
			o.Logger.InfoContext(t.about(ctx), "dispatch cut short, it goes on when its messages come back", "instance", g.instance, "error", err)
			o.failOpen(g, failureWord(err))
			return
		}
		o.Logger.WarnContext(t.about(ctx), "turn failed, its messages go back", "instance", g.instance, "error", err)
		o.failOpen(g, failureWord(err))
		return
	}
}

// runHalves makes two turns of one that is too large: an instance must not fail
// for what happened to come in one batch. Nothing is taken behind a failure.
func (o *Orchestrator) runHalves(ctx context.Context, g *group) {
	open := g.open()
	for _, half := range [][]*message{open[:len(open)/2], open[len(open)/2:]} {
		part := &group{instance: g.instance, messages: half, all: g.all, suspect: g.suspect, sent: g.sent}
		o.runGroup(ctx, part)
		if slices.ContainsFunc(half, func(m *message) bool { return m.state == failed }) {
			o.failOpen(g, "behind a failure")
			return
		}
	}
}

func (o *Orchestrator) failOpen(g *group, reason string) {
	for _, m := range g.open() {
		o.fail(m, reason)
	}
}

func failureWord(err error) string {
	switch {
	case errors.Is(err, errCutShort):
		return "no time"
	case errors.Is(err, store.ErrUnknownOutcome):
		return "unknown outcome"
	case errors.Is(err, store.ErrUnavailable):
		return "store unavailable"
	case errors.Is(err, errDispatch):
		return "dispatch"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "no time"
	}
	return "error"
}
