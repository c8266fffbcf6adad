package orchestrator

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/logattr"
	"github.com/turnstile-go/turnstile/store"
)

// runGroup makes the turn of a group. What is unsettled afterwards goes back.
//
// A turn that went by the cache, and is stale, is made again by what is stored, and so is
// one that has lost a commit, a few times.
func (o *maker) runGroup(ctx context.Context, g *deciding.Group) {
	ctx = logattr.Subject{Instance: g.Instance}.In(ctx)
	began := o.desk.Clock.Now()
	cold := g.TooLarge != nil
	for tries := 1; ; tries, cold = tries+1, true {
		if !clock.HasTime(ctx, o.desk.Clock, o.desk.Settings.Turn.Time) {
			o.desk.FailAll(g.Messages, "no time")
			return
		}
		a := o.attempt(g, cold, began)
		err := a.make(ctx)
		ctx := a.about(ctx)
		a.release(ctx, err)
		if end := a.endOf(err); !(end == stale && !cold || end == lost && tries <= mostLost) {
			o.endGroup(ctx, g, end, err, o.desk.Clock.Now().Sub(began))
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
	// stale: what it took from the cache must be read from the store.
	stale
	// lost: its commit was refused, and nothing of it was dispatched.
	lost
	// over: nothing was decided before the invocation was over, or before a message that it
	// needs was another's.
	over
	// large: no commit can hold it.
	large
	// unpatched and newer: another build is to make it.
	unpatched
	newer
	// broken: its messages come back.
	broken
)

// endOf tells by the error of an attempt how it ended, and counts a conflict.
func (a *attempt) endOf(err error) end {
	switch {
	case err == nil:
		return made
	case errors.Is(err, deciding.ErrStale):
		return stale
	case errors.Is(err, deciding.ErrOver), errors.Is(err, inbox.ErrNotKept):
		return over
	case isA[*store.TooLargeError](err):
		return large
	case errors.Is(err, store.ErrConflict):
		a.desk.Observer.Count(host.CountConflicts, a.turn.Running.Heat(), 1)
		return lost
	case isA[*deciding.PatchError](err):
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
func (o *maker) endGroup(ctx context.Context, g *deciding.Group, e end, err error, took time.Duration) {
	switch {
	case e == made:
		o.desk.Observer.Timing(host.TimeTurn, took)
		o.runRest(ctx, g)
	case e == large && len(g.Open()) > 1:
		o.runHalves(ctx, g)
	case e == large && g.TooLarge == nil:
		g.TooLarge, _ = errors.AsType[*store.TooLargeError](err)
		o.runGroup(ctx, g)
	case e == unpatched:
		o.anotherBuild(ctx, g, err)
	case e == newer:
		o.newer(ctx, g, err)
	case e == lost:
		o.desk.Logger.InfoContext(ctx, "turn lost to another process, its messages go back", "instance", g.Instance, "error", err)
		o.desk.FailAll(g.Messages, "conflict")
	case e == over:
		o.desk.Logger.InfoContext(ctx, "turn not committed, its messages go back", "instance", g.Instance, "error", err)
		word := "no time"
		if errors.Is(err, inbox.ErrNotKept) {
			word = delivery.NotHeld
		}
		o.desk.FailAll(g.Messages, word)
	case errors.Is(err, dispatch.ErrCutShort):
		level := slog.LevelInfo
		if len(inbox.Returning(g.Open())) > 0 {
			level = slog.LevelWarn // A large one ends at its second delivery: a service may be down.
		}
		o.desk.Logger.Log(ctx, level, "dispatch cut short, it goes on when its messages come back", "instance", g.Instance, "error", err)
		o.desk.FailAll(g.Messages, "no time")
	default:
		o.desk.Logger.WarnContext(ctx, "turn failed, its messages go back", "instance", g.Instance, "error", err)
		o.desk.FailAll(g.Messages, delivery.Word(err, dispatch.ErrUnsent))
	}
}

// runRest makes the turn of the messages that a turn has left because they must not be taken
// before others are acknowledged (deciding/begin_again.go). It deletes those others from the
// queue first. Handing the rest back would cost a receive and a pause for each such turn.
func (o *maker) runRest(ctx context.Context, g *deciding.Group) {
	if len(g.Open()) == 0 {
		return
	}
	rest := g.Rest(o.desk.Settings.SuspectReceives)
	if len(rest.All) == len(g.All) {
		o.desk.FailAll(g.Messages, "not handled")
		return
	}
	if err := o.desk.Acknowledge(ctx, g.All); err != nil {
		o.desk.Logger.InfoContext(ctx, "messages that are done are not deleted, what must wait for that goes back", "instance", g.Instance, "error", err)
		o.desk.FailAll(g.Messages, "not acknowledged")
		return
	}
	o.runGroup(ctx, rest)
}

// runHalves makes two turns of one that is too large: an instance must not fail
// because many messages happened to come in one batch. After a failure, no
// further message of the group is taken.
func (o *maker) runHalves(ctx context.Context, g *deciding.Group) {
	open := g.Open()
	for _, half := range [][]*inbox.Message{open[:len(open)/2], open[len(open)/2:]} {
		o.runGroup(ctx, g.Half(half))
		if slices.ContainsFunc(half, func(m *inbox.Message) bool { return m.State == inbox.Failed }) {
			o.desk.FailAll(g.Messages, "behind a failure")
			return
		}
	}
}

// anotherBuild sends the messages of a turn round for a build that has the patch.
func (o *maker) anotherBuild(ctx context.Context, g *deciding.Group, err error) {
	cause, _ := errors.AsType[*deciding.PatchError](err)
	o.desk.Logger.InfoContext(ctx, "history has a patch that another build knows; the instance's messages go round until one that has it handles them",
		"instance", g.Instance, "patch", cause.Stuck.Patch, "error", cause.Stuck)
	o.sendRound(ctx, g, func(m *inbox.Message) error {
		return o.desk.SendRoundWithin(ctx, m, o.desk.Settings.Messages.PatchWindow, "patch")
	})
}

// newer deals with an instance whose history holds what only another build
// knows: an event of a newer kind, or payloads under a codec that this one does
// not have. Nothing is written, and its messages go round the delay queue, as
// long as it takes, for a build that knows it.
func (o *maker) newer(ctx context.Context, g *deciding.Group, cause error) {
	reason, text := "newer", "history was written by a newer build; its messages go round until one handles them"
	if edge.MissesCodec(cause) {
		reason, text = "codec", "payloads are sealed by a codec that this build does not have; the instance's messages go round until one that has it handles them"
	}
	o.desk.Logger.WarnContext(ctx, text, "instance", g.Instance, "error", cause)
	o.sendRound(ctx, g, func(m *inbox.Message) error { return o.desk.Leave(ctx, m, reason) })
}

// sendRound sends round what is left of a group; what can't be sent is handed back.
func (o *maker) sendRound(ctx context.Context, g *deciding.Group, send func(*inbox.Message) error) {
	for _, m := range g.Open() {
		if err := send(m); err != nil {
			o.desk.Logger.WarnContext(ctx, "message not sent round", "message_id", m.ID, "error", err)
			o.desk.Fail(m, "queue")
		}
	}
}
