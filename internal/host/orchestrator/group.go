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

// runGroup makes the turn of a group. Messages that are unsettled afterwards return to their queue.
//
// A turn that used stale state from the cache is made again from the store. So is a turn that has
// lost a commit, at most mostLost times.
func (o *maker) runGroup(ctx context.Context, g *deciding.Group) {
	ctx = logattr.Subject{Instance: g.Instance()}.In(ctx)
	startedAt := o.settler.Clock.Now()
	cold := g.TooLarge != nil
	for tries := 1; ; tries, cold = tries+1, true {
		if !clock.HasTime(ctx, o.settler.Clock, o.settler.Settings.Turn.MinRemaining) {
			o.settler.FailAll(g.Messages, "no time")
			return
		}
		a := o.attempt(g, startedAt)
		err := a.make(ctx, cold)
		ctx := a.logContext(ctx)
		a.release(ctx, err)
		if end := a.endOf(err); !(end == stale && !cold || end == lost && tries <= mostLost) {
			o.endGroup(ctx, g, end, err, o.settler.Clock.Now().Sub(startedAt))
			return
		}
	}
}

// mostLost is the maximum number of times that a turn is made again after it has lost a commit.
const mostLost = 3

// end is how an attempt at a turn ended.
type end uint8

const (
	// made means that the messages of the attempt are settled.
	made end = iota
	// stale means that the state from the cache must be read from the store.
	stale
	// lost means that the attempt's commit was refused, and that nothing was dispatched.
	lost
	// over means that nothing was decided before the invocation ended, or before another process
	// might hold a message that the turn needs.
	over
	// large means that no commit can hold the turn.
	large
	// foreign means that another build must make the turn.
	foreign
	// broken means that the messages will be redelivered.
	broken
)

// endOf returns how an attempt ended, by its error, and counts a conflict.
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
		a.settler.Observer.Count(host.CountConflicts, a.turn.Running.Heat(), 1)
		return lost
	case isA[*deciding.PatchError](err), errors.Is(err, history.ErrNewer), edge.MissesCodec(err):
		return foreign
	}
	return broken
}

func isA[E error](err error) bool {
	_, is := errors.AsType[E](err)
	return is
}

// endGroup handles the messages of a group according to the end of its last attempt.
func (o *maker) endGroup(ctx context.Context, g *deciding.Group, e end, err error, took time.Duration) {
	switch {
	case e == made:
		o.settler.Observer.Timing(host.TimeTurn, took)
		o.runRest(ctx, g)
	case e == large && len(g.Open()) > 1:
		o.runHalves(ctx, g)
	case e == large && g.TooLarge == nil:
		g.TooLarge, _ = errors.AsType[*store.TooLargeError](err)
		o.runGroup(ctx, g)
	case e == foreign:
		o.leave(ctx, g, err)
	case e == lost:
		o.settler.Logger.InfoContext(ctx, "turn lost to another process; its messages return to the queue", "instance", g.Instance(), "error", err)
		o.settler.FailAll(g.Messages, "conflict")
	case e == over:
		o.settler.Logger.InfoContext(ctx, "turn not committed; its messages return to the queue", "instance", g.Instance(), "error", err)
		word := "no time"
		if errors.Is(err, inbox.ErrNotKept) {
			word = delivery.NotHeld
		}
		o.settler.FailAll(g.Messages, word)
	case errors.Is(err, dispatch.ErrCutShort):
		level := slog.LevelInfo
		if len(inbox.Returning(g.Open())) > 0 {
			level = slog.LevelWarn // A large dispatch completes with its second delivery, so a service may be down.
		}
		o.settler.Logger.Log(ctx, level, "dispatch cut short; it continues when its messages are redelivered", "instance", g.Instance(), "error", err)
		o.settler.FailAll(g.Messages, "no time")
	default:
		o.settler.Logger.WarnContext(ctx, "turn failed; its messages return to the queue", "instance", g.Instance(), "error", err)
		o.settler.FailAll(g.Messages, delivery.Word(err, dispatch.ErrUnsent))
	}
}

// runRest runs a further turn for the messages that a turn left open, because they must not be
// processed before the other messages are acknowledged (deciding/restart.go). It first deletes the
// other messages from the queue. Returning the open messages to the queue would cost a receive and
// a pause for each such turn.
func (o *maker) runRest(ctx context.Context, g *deciding.Group) {
	if len(g.Open()) == 0 {
		return
	}
	rest := g.Rest(o.settler.Settings.SuspectReceives)
	if len(rest.All) == len(g.All) {
		o.settler.FailAll(g.Messages, "not handled")
		return
	}
	if err := o.settler.Acknowledge(ctx, g.All); err != nil {
		o.settler.Logger.InfoContext(ctx, "could not delete settled messages; the messages that must wait for the deletion return to the queue", "instance", g.Instance(), "error", err)
		o.settler.FailAll(g.Messages, "not acknowledged")
		return
	}
	o.runGroup(ctx, rest)
}

// runHalves splits a turn that is too large into two, because an instance must not fail only
// because many messages came in one batch. After a failure no further message of the group is
// processed.
func (o *maker) runHalves(ctx context.Context, g *deciding.Group) {
	open := g.Open()
	for _, half := range [][]*inbox.Message{open[:len(open)/2], open[len(open)/2:]} {
		o.runGroup(ctx, g.Half(half))
		if slices.ContainsFunc(half, func(m *inbox.Message) bool { return m.State == inbox.Failed }) {
			o.settler.FailAll(g.Messages, "behind a failure")
			return
		}
	}
}

// leave requeues the messages of a turn that only another build can make. They use the delay queue
// until such a build handles them. The history has a patch of another build, an event of a newer
// kind, or payloads of a codec that this build does not have. Messages that cannot be sent return
// to their queue.
func (o *maker) leave(ctx context.Context, g *deciding.Group, cause error) {
	delays := &o.settler.Settings.Messages
	level, longest, note := slog.LevelWarn, delays.NewerMax, store.Problem{Kind: "newer", Message: cause.Error()}
	text := "history was written by a newer build; the instance's messages are requeued until such a build handles them"
	requeue := func(m *inbox.Message) error { return o.settler.Leave(ctx, m, note.Kind) }
	patch, ok := errors.AsType[*deciding.PatchError](cause)
	switch {
	case ok:
		level, longest, note = slog.LevelInfo, delays.EarlyMax, store.Problem{Kind: "patch", Patch: patch.Stuck.Patch, Message: patch.Stuck.Message}
		text = "history has a patch of another build; the instance's messages are requeued until a build that has the patch handles them"
		requeue = func(m *inbox.Message) error { return o.settler.RequeueWithin(ctx, m, delays.PatchWindow, note.Kind) }
	case edge.MissesCodec(cause):
		note.Kind, text = "codec", "payloads are encoded by a codec that this build does not have; the instance's messages are requeued until a build that has the codec handles them"
	}
	o.settler.Logger.Log(ctx, level, text, "instance", g.Instance(), "error", cause)
	o.noteAwaited(ctx, g.Instance(), longest, note)
	for _, m := range g.Open() {
		if err := requeue(m); err != nil {
			o.settler.Logger.WarnContext(ctx, "could not requeue a message", "message_id", m.ID, "error", err)
			o.settler.Fail(m, "queue")
		}
	}
}

// longestAwaited is the maximum length of such a note's message, in bytes.
const longestAwaited = 2 << 10

// noteAwaited notes in the record, for operators, that the instance waits for another build.
// longest is the longest pause between two deliveries of its requeued messages. Each delivery costs
// a read, and a write if the note would expire before the next one. If noteAwaited fails, only the
// note is missing.
func (o *maker) noteAwaited(ctx context.Context, instance string, longest time.Duration, a store.Problem) {
	r, err := o.tables.Store.Describe(ctx, instance)
	now := o.settler.Clock.Now()
	if errors.Is(err, store.ErrNotFound) || err == nil && (r.Purged || r.Problem != nil || r.Status.Terminal()) {
		return
	}
	a.SinceMS, a.NextMS = now.UnixMilli(), now.Add(2*longest+time.Minute).UnixMilli()
	if b := r.Awaiting(now); err == nil && b != nil && b.Kind == a.Kind && b.Patch == a.Patch {
		if b.NextMS > now.Add(longest).UnixMilli() {
			return
		}
		a.SinceMS = b.SinceMS
	}
	if err == nil {
		a.Message, a.Build = edge.Cut(a.Message, longestAwaited), o.terms.Build
		awaits := &a
		err = o.tables.Store.UpdateRecord(ctx, instance, store.RecordChange{If: store.RecordCondition{ExecutionID: r.ExecutionID, Running: true}, Awaits: &awaits, UpdatedAt: now})
	}
	if err != nil && !errors.Is(err, store.ErrConflict) {
		o.settler.Logger.WarnContext(ctx, "cannot note in the record that the instance waits for another build", "instance", instance, "error", err)
	}
}
