package inbox

import (
	"context"
	"slices"
	"sync"

	"github.com/turnstile-go/turnstile/internal/host/platform"
)

// release bounds how long a FIFO group waits for the others of its batch. Lambda
// deletes the messages of a batch when the whole invocation has returned, and SQS
// hands out nothing of a group that has a message in flight. So one slow turn (a
// long inline activity, blocked code, a throttled table) would hold up as many as
// nine other groups. After ReleaseTime the process deletes the messages of each
// group that is done. A batch that returns before costs no request.
type release struct {
	desk     *Desk
	messages []*Message

	mu   sync.Mutex
	late bool
	over bool
	open map[string]int // by FIFO group, until it is deleted: the turns that are still to be made
	left int            // turns of them that are still to be made
	stop func() bool
}

// NewRelease returns the release of a batch, of which each turn has some messages; nil
// where no turn waits for another.
func NewRelease(ctx context.Context, d *Desk, messages []*Message, turns [][]*Message) *release {
	if len(messages) < 2 || d.Settings.Messages.ReleaseTime < 0 {
		return nil
	}
	r := &release{desk: d, messages: messages, open: map[string]int{}}
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

// fifoGroups are the FIFO groups of the messages of a turn.
func fifoGroups(turn []*Message) map[string]bool {
	names := map[string]bool{}
	for _, m := range turn {
		if m.Source == platform.SourceOrchestrator {
			names[m.Group] = true
		}
	}
	return names
}

// Done takes in that the turn of some messages has been made.
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

// take returns the messages to delete now: those of each group that is settled as
// a whole. The caller holds the lock.
func (r *release) take() (done []*Message) {
	if !r.late || r.over || r.left == 0 {
		return nil // With none left the invocation returns.
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

// settled reports whether all messages of a FIFO group are.
func (r *release) settled(group string) bool {
	return !slices.ContainsFunc(r.messages, func(m *Message) bool {
		return m.Source == platform.SourceOrchestrator && m.Group == group && m.State != Settled
	})
}

func (r *release) acknowledge(ctx context.Context, done []*Message) {
	for _, m := range done {
		if err := r.desk.Queues.Orchestrator.Delete(ctx, m.Message); err != nil {
			r.desk.Logger.WarnContext(m.about(ctx), "message that is done not deleted; its group waits for the rest of its batch", "message_id", m.ID, "group", m.Group, "error", err)
		}
	}
}

// End stops what is still to come: the invocation returns.
func (r *release) End() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	r.stop()
}
