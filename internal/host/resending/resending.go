// Package resending determines which messages a turn has to send again, because an earlier delivery
// may have committed but not sent them. It uses nothing but histories. Ids derive from instance,
// execution and event, so sending twice is harmless.
package resending

import (
	"errors"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/internal/redriving"
	"github.com/turnstile-go/turnstile/store"
)

// furthestBack limits the executions that are resent for a message that was redriven or requeued:
// at most this many before the current one, and at most this many from the execution that the
// message names, in which its turn began.
const furthestBack = 100

// Resending collects the commits whose messages must be sent again, each once.
type Resending struct {
	// Commits whose actions are to be sent, in order.
	Commits []dispatch.Commit
	// Since is when collecting started.
	Since time.Time

	view *reading.View
	// execution that the turn continues.
	execution int64
	// sent are the commits whose actions this invocation has already sent.
	sent  map[dispatch.Place]bool
	heard func(eventID int64) bool
	done  map[dispatch.Place]bool
}

// New returns an empty Resending for the instance of the view. It leaves out commits whose actions
// this invocation has sent. It also leaves out scheduling events of the current execution for which
// heard returns true, because a message of the turn completes or concerns them.
func New(view *reading.View, execution int64, since time.Time, sent map[dispatch.Place]bool, heard func(eventID int64) bool) *Resending {
	return &Resending{Since: since, view: view, execution: execution, sent: sent, heard: heard, done: map[dispatch.Place]bool{}}
}

// Fact adds the open operations of the turn that recorded an event of the current execution. The
// event records the message for which they are resent. Until that message is acknowledged, no other
// message resends what its turn has committed.
func (r *Resending) Fact(eventID int64) error {
	turns, err := r.view.Turns(r.execution)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(turns, func(t store.Turn) bool { return eventID <= t.Last() })
	return r.turnOf(turns, i)
}

// LastTurn adds the open operations of the instance's last turn, for a message that recorded no
// event.
func (r *Resending) LastTurn() error {
	turns, err := r.view.Turns(r.execution)
	if err != nil {
		return err
	}
	return r.turnOf(turns, len(turns)-1)
}

// Behind adds the commits after an event of the current execution in which code ran.
func (r *Resending) Behind(eventID int64) error {
	turns, err := r.view.Turns(r.execution)
	for i := range turns {
		if turns[i].First() > eventID && !turns[i].Parked {
			r.between(turns, i, i+1)
		}
	}
	return err
}

// turnOf adds the whole turn of a commit. A turn starts with a commit that begins with a message's
// event, which may be in an earlier execution that continued as new, and ends before the next such
// commit.
func (r *Resending) turnOf(turns []store.Turn, i int) error {
	if i < 0 {
		return nil
	}
	end := i + 1
	for end < len(turns) && !turns[end].Messaged {
		end++
	}
	for i > 0 && !turns[i].Messaged {
		i--
	}
	if n := turns[0].ExecutionID - 1; !turns[i].Messaged && n >= r.furthest(0) {
		before, err := r.read(n)
		if err == nil {
			err = r.turnOf(before, len(before)-1)
		}
		if err != nil {
			return err
		}
	}
	r.between(turns, i, end)
	return nil
}

// furthest returns the first execution to read before the current one, but no earlier than since.
func (r *Resending) furthest(since int64) int64 {
	return max(since, r.execution-furthestBack, r.view.FirstExecution(), 1)
}

// Current adds the open operations of the current execution and of the end of the one before, for
// an operator's wake.
func (r *Resending) Current() error {
	if err := r.endBefore(); err != nil {
		return err
	}
	return r.add(r.execution)
}

// Everything adds the open operations of the hundred executions from since on, and of the last
// hundred before the current one; if since is 0, only of the latter. The execution since must be
// readable: a build that lacks its key does not know which operations are open there, and the
// message is requeued.
func (r *Resending) Everything(since int64) error {
	first, newest := max(since, r.view.FirstExecution(), 1), r.furthest(since)
	if since == first {
		if _, err := r.view.Turns(since); edge.MissesCodec(err) {
			return err
		}
	}
	named := first
	if since > 0 {
		named += furthestBack
	}
	for n := first; n <= r.execution; n++ {
		if n >= named && n < newest || r.view.Skips(n) {
			continue
		}
		if err := r.add(n); err != nil {
			return err
		}
	}
	return nil
}

func (r *Resending) add(n int64) error {
	turns, err := r.read(n)
	r.from(turns, 0)
	return err
}

// endBefore adds the end of the previous execution, which the current one continues.
func (r *Resending) endBefore() error {
	n := r.execution
	if n <= max(r.view.FirstExecution(), 1) {
		return nil
	}
	turns, err := r.read(r.view.Before(n))
	r.from(turns, max(len(turns)-1, 0))
	return err
}

// read reads an execution. An execution that is damaged, or that this build cannot read, has
// nothing to resend. A read that fails temporarily is repeated when the message is redelivered.
func (r *Resending) read(n int64) ([]store.Turn, error) {
	turns, err := r.view.Turns(n)
	if reading.Corrupt(err) || edge.MissesCodec(err) || errors.Is(err, history.ErrNewer) {
		return nil, nil
	}
	return turns, err
}

// from adds the commits of an execution from an index on. For each commit it adds the operations
// that the commit scheduled and that are still open, and the operations that the commit cancelled.
// It also adds the end of the execution.
func (r *Resending) from(turns []store.Turn, first int) { r.between(turns, first, len(turns)) }

// between is like from, but stops before the commit end.
func (r *Resending) between(turns []store.Turn, first, end int) {
	open := dispatch.Work{}
	open.AddTurns(turns)
	for i := first; i < end; i++ {
		t := &turns[i]
		slot := dispatch.PlaceOf(t)
		if r.done[slot] || r.sent[slot] {
			continue
		}
		r.done[slot] = true
		started := &turns[0].Events[0]
		c := dispatch.Commit{Turn: t, Start: started.Start, Name: started.Name, Done: map[int64]bool{}, Opened: dispatch.OpenedBy(turns, dispatch.Named(t))}
		if c.Start == nil {
			c.Start = &history.Start{}
		}
		if dispatch.Ends(t) {
			c.Parents = engine.AttachedIn(reading.EventsOf(turns))
		}
		if t.Events[len(t.Events)-1].Kind.Terminal() {
			c.Unanswered = engine.UnansweredIn(reading.EventsOf(turns))
		}
		for i := range t.Events {
			id := t.Events[i].EventID
			_, still := open[id]
			c.Done[id] = !still || t.ExecutionID == r.execution && r.heard(id)
		}
		if c.Start.Origin != nil {
			held, released := redriving.Held(reading.EventsOf(turns))
			if len(held) > 0 && (released == 0 || released >= t.First()) {
				c.Held, c.HeldDone = held, map[int64]bool{}
				for i := range held {
					id := held[i].EventID
					_, still := open[id]
					c.HeldDone[id] = !still || t.ExecutionID == r.execution && r.heard(id)
				}
			}
		}
		r.Commits = append(r.Commits, c)
	}
}
