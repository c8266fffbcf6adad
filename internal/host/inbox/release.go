package inbox

import (
	"context"
	"slices"
	"sync"

	"github.com/turnstile-go/turnstile/internal/host/platform"
)

// release limits how long a FIFO group waits for the other groups of its batch. Lambda deletes the
// messages of a batch when the whole invocation has returned, and SQS delivers no message of a
// group while another message of the group is in flight. So one slow turn (a long inline activity,
// blocked code, a throttled table) would delay up to nine other groups. After ReleaseTime the
// process deletes the messages of each finished group itself. A batch that returns earlier costs no
// request.
type release struct {
	settler  *Settler
	messages []*Message

	mu   sync.Mutex
	late bool
	over bool
	open map[string]int // the number of turns not yet made, by FIFO group, until the group's messages are deleted
	left int            // the number of turns not yet made in all groups
	stop func() bool
}

// NewRelease returns the release of a batch, given the messages of each turn. It returns nil if no
// group waits for another.
func NewRelease(ctx context.Context, d *Settler, messages []*Message, turns [][]*Message) *release {
	if len(messages) < 2 || d.Settings.Messages.ReleaseTime < 0 {
		return nil
	}
	r := &release{settler: d, messages: messages, open: map[string]int{}}
	for _, turn := range turns {
		for name := range fifoGroups(turn) {
			r.open[name]++
			r.left++
		}
	}
	if len(r.open) < 2 {
		return nil
	}
	r.stop = d.Clock.AfterFunc(d.Settings.Messages.ReleaseTime, func() {
		r.mu.Lock()
		r.late = true
		done := r.take()
		r.mu.Unlock()
		r.acknowledge(ctx, done)
	})
	return r
}

// fifoGroups returns the FIFO groups of the messages of a turn.
func fifoGroups(turn []*Message) map[string]bool {
	names := map[string]bool{}
	for _, m := range turn {
		if m.Source == platform.SourceOrchestrator {
			names[m.Group] = true
		}
	}
	return names
}

// Done records that the turn of these messages has been made.
func (r *release) Done(ctx context.Context, turn []*Message) {
	if r == nil {
		return
	}
	r.mu.Lock()
	for name := range fifoGroups(turn) {
		r.open[name]--
		r.left--
	}
	done := r.take()
	r.mu.Unlock()
	r.acknowledge(ctx, done)
}

// take returns the messages to delete now: those of each group whose messages are all settled. The
// caller holds the lock.
func (r *release) take() (done []*Message) {
	if !r.late || r.over || r.left == 0 {
		return nil // If no turn is left, the invocation is about to return.
	}
	for _, m := range r.messages {
		if turns, there := r.open[m.Group]; there && turns == 0 && r.settled(m.Group) && m.Source == platform.SourceOrchestrator {
			done = append(done, m)
		}
	}
	for _, m := range done {
		delete(r.open, m.Group)
	}
	return done
}

// settled reports whether all messages of a FIFO group are settled.
func (r *release) settled(group string) bool {
	return !slices.ContainsFunc(r.messages, func(m *Message) bool {
		return m.Source == platform.SourceOrchestrator && m.Group == group && m.State != Settled
	})
}

func (r *release) acknowledge(ctx context.Context, done []*Message) {
	for _, m := range done {
		if err := r.settler.Queues.Orchestrator.Delete(ctx, m.Message); err != nil {
			r.settler.Logger.WarnContext(m.logContext(ctx), "could not delete a settled message; its group waits for the rest of its batch", "message_id", m.ID, "group", m.Group, "error", err)
		}
	}
}

// End stops the release, because the invocation returns.
func (r *release) End() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	r.stop()
}
