package orchestrator

import (
	"context"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/host/internal/resending"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// takeReturning sends again, before anything else, what an earlier delivery of
// these messages may have committed and not sent.
//
// Each commit is dispatched before the next is made, and the message that caused it
// stays the first of its group until then. So for a redelivered message that is the
// last turn of the instance. A message that was redriven, or went round, may have
// been overtaken by others: it sends again all that is open from the execution that
// it names. Ids derive from instance, execution and event, so that sending twice is
// harmless.
func (t *turn) takeReturning(ctx context.Context) error {
	if t.creating {
		return nil
	}
	again, back := t.resending(), inbox.Returning(t.group.open())
	if len(back) == 0 && !t.hidesEnded() {
		if beside, err := t.besideAnother(ctx, again); err != nil || !beside {
			return err
		}
	}
	if err := again.LastTurn(ctx); err != nil {
		return err
	}
	for _, m := range back {
		if m.Redriven() {
			if err := again.Everything(ctx, m.Item.TargetExecution()); err != nil {
				return err
			}
		}
	}
	return t.sendAgain(ctx, again)
}

// besideAnother reports whether the last turn was made for one of several messages,
// none of which comes back: by another process, which received that one later, when its
// visibility had ended, alone or ahead of the others. It may be dead, and what this turn
// commits for the others would stand between that turn and its message.
func (t *turn) besideAnother(ctx context.Context, again *resending.Resending) (bool, error) {
	open := t.group.open()
	if len(open) < 2 {
		return false, nil
	}
	var known []*inbox.Message
	for _, m := range t.withBrought(open) {
		switch {
		case m.Item.Kind == wire.Wake && m.Item.Number > 0 && m.Item.Number != goOnNumber:
			known = append(known, m)
		case m.Records(), m.Item.Kind == wire.ActivityPending:
			if v := t.verdict(m).Kind; v == engine.Duplicate || v == engine.Late {
				known = append(known, m)
			}
		}
	}
	if len(known) == 0 {
		return false, nil
	}
	if t.warm {
		return false, errRebuild // What another has committed is not in the cache.
	}
	return again.LastTurnHas(ctx, func(c *store.Turn) bool {
		return slices.ContainsFunc(known, func(m *inbox.Message) bool { return madeFor(c, &m.Item) })
	})
}

// madeFor reports whether a commit has the fact of an item, or may be that of a wake.
func madeFor(c *store.Turn, i *wire.Item) bool {
	if i.Kind == wire.Wake {
		return !c.Messaged
	}
	return slices.ContainsFunc(c.Events, func(e history.Event) bool {
		switch i.Kind {
		case wire.StartOrchestration:
			return e.Start != nil && e.Start.StartID == i.ID
		case wire.ExternalRaised, wire.CancelInstance:
			return e.SenderID == i.ID || i.Kind == wire.CancelInstance && e.Kind == history.OrchestrationCancelRequested
		}
		return c.ExecutionID == i.TargetExecution() && e.SourceEventID == i.SourceEventID
	})
}

// hidesEnded reports whether a purge with force finds its instance ended. Another
// process may have ended it for the same message, before this one read it, and not
// have sent the end yet. Hidden, it would tell nobody.
func (t *turn) hidesEnded() bool {
	return t.x.Ended() && slices.ContainsFunc(t.group.open(), func(m *inbox.Message) bool { return m.Purges() && m.Item.Force })
}

// heard reports whether one of the messages of the turn completes, or is about,
// this scheduling event of the current execution: then the event was sent. Without
// this a redelivered completion would start another attempt of the activity that it
// completes.
func (t *turn) heard(eventID int64) bool {
	return t.x != nil && slices.ContainsFunc(t.group.messages, func(m *inbox.Message) bool {
		if m.Item.SourceEventID != eventID || m.Item.TargetExecution() != t.execution {
			return false
		}
		v := t.verdict(m).Kind
		return v == engine.Recorded || v == engine.Duplicate
	})
}

func (t *turn) resending() *resending.Resending {
	return resending.New(&t.View, t.execution, t.outbox(), t.group.sent, t.heard)
}

// sendAgain dispatches what was gathered.
func (t *turn) sendAgain(ctx context.Context, again *resending.Resending) error {
	commits := again.Commits()
	if len(commits) > 0 {
		t.Observer.Count(host.CountResent, "commit", len(commits))
	}
	if err := t.dispatch(ctx, again.Out); err != nil {
		return err
	}
	for _, slot := range commits {
		t.group.sent[slot] = true
	}
	return nil
}
