package inbox

import (
	"context"
	"sync"

	"github.com/turnstile-go/turnstile/host"
)

// release bounds how long a FIFO group waits for the others of its batch. Lambda
// deletes the messages of a batch when the whole invocation has returned, and SQS
// hands out nothing of a group that has a message in flight. So one slow turn (a
// long inline activity, blocked code, a throttled table) would hold up as many as
// nine other groups. After ReleaseTime the process deletes the messages of each
// group that is done. A batch that returns before costs no request.
type release struct {
	desk *Desk

	mu    sync.Mutex
	late  bool
	over  bool
	open  map[string]int        // by FIFO group: the turns that are still to be made
	ready map[string][]*Message // of each FIFO group, until they are deleted
	names []string              // of the FIFO groups, in the order of the batch
	left  int                   // turns of them that are still to be made
	stop  func() bool
}

// NewRelease returns the release of a batch, of which each turn has some messages; nil
// where nobody waits for another.
func NewRelease(ctx context.Context, d *Desk, messages []*Message, turns [][]*Message) *release {
	if len(messages) < 2 || d.Settings.Messages.ReleaseTime < 0 {
		return nil
	}
	r := &release{desk: d, open: map[string]int{}, ready: map[string][]*Message{}}
	for _, turn := range turns {
		for name := range fifoGroups(turn) {
			r.open[name]++
			r.left++
		}
	}
	if len(r.open) < 2 {
		return nil
	}
	for _, m := range messages {
		if m.Source == host.SourceOrchestrator && r.open[m.Group] > 0 {
			if r.ready[m.Group] == nil {
				r.names = append(r.names, m.Group)
			}
			r.ready[m.Group] = append(r.ready[m.Group], m)
		}
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
		if m.Source == host.SourceOrchestrator {
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

// take returns the messages that are to be deleted now: those of groups of which
// all are settled. The caller holds the lock.
func (r *release) take() (done []*Message) {
	if !r.late || r.over || r.left == 0 {
		return nil // With none left the invocation returns.
	}
	for _, name := range r.names {
		messages := r.ready[name]
		if r.open[name] > 0 || messages == nil {
			continue
		}
		delete(r.ready, name)
		settledAll := true
		for _, m := range messages {
			settledAll = settledAll && m.State == Settled
		}
		if settledAll {
			done = append(done, messages...)
		}
	}
	return done
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
