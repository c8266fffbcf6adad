package orchestrator

import (
	"context"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/host/internal/resending"
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
	back := inbox.Returning(t.group.open())
	if t.creating || len(back) == 0 && !t.hidesEnded() {
		return nil
	}
	again := t.resending()
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
	return resending.New(&t.View, t.execution, t.sender.New(), t.group.sent, t.heard)
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
