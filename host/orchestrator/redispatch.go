package orchestrator

import (
	"context"
	"errors"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/dispatch"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/host/internal/reading"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// place is where an event stands in the histories of an instance.
type place struct {
	execution, eventID int64
}

// furthestBack is how many executions before the current one a redriven message, or
// one that went round, sends again.
const furthestBack = 100

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
	if t.creating || len(back) == 0 {
		return nil
	}
	out := t.newResending()
	if err := out.lastTurn(ctx); err != nil {
		return err
	}
	for _, m := range back {
		if m.Redriven() {
			if err := out.everything(ctx, m.Item.TargetExecution()); err != nil {
				return err
			}
		}
	}
	return out.flush(ctx)
}

// resending gathers what has to be sent again, each commit once.
type resending struct {
	t    *turn
	out  *dispatch.Outbox
	done map[place]bool          // by execution and slot
	open map[int64]dispatch.Work // by execution
}

func (t *turn) newResending() *resending {
	return &resending{t: t, out: t.sender.New(), done: map[place]bool{}, open: map[int64]dispatch.Work{}}
}

// heard reports whether one of the messages of the turn completes, or is about,
// this scheduling event of the current execution: then the event was sent. Without
// this a redelivered completion would start another attempt of the activity that it
// completes.
func (t *turn) heard(eventID int64) bool {
	return t.x != nil && slices.ContainsFunc(t.group.messages, func(m *inbox.Message) bool {
		i := &m.Item
		if i.SourceEventID != eventID || i.TargetExecution() != t.execution {
			return false
		}
		a := t.arrival(m)
		if i.Kind == wire.ActivityPending || i.Kind == wire.ActivityHeartbeat {
			a.Event = history.Event{Kind: history.ActivityFailed, SourceEventID: eventID}
		}
		v := t.x.Judge(a).Kind
		return v == engine.Recorded || v == engine.Duplicate
	})
}

// lastTurn adds what is open of the last turn of the instance: its last commit, and
// the ones before it back to the last that begins with a message's arrival. One
// commit is not enough: when the visibility of a message ends too early, two
// processes have the turn, one makes the first commit and dies, and the other goes
// on with the second.
//
// If that is the first commit of an execution, it is also the end of the execution
// before.
func (r *resending) lastTurn(ctx context.Context) error {
	turns, err := r.t.Read(ctx, r.t.execution)
	if err != nil || len(turns) == 0 {
		return err
	}
	i := len(turns) - 1
	for i > 0 && !turns[i].Messaged {
		i--
	}
	if i == 0 {
		if err := r.endBefore(ctx); err != nil {
			return err
		}
	}
	for ; i < len(turns); i++ {
		r.turn(turns, i)
	}
	return nil
}

// current adds all that is open of the current execution, and of the end of the one
// before: for an operator's wake.
func (r *resending) current(ctx context.Context) error {
	if err := r.endBefore(ctx); err != nil {
		return err
	}
	return r.execution(ctx, r.t.execution)
}

// everything adds all that is open of the executions from one on, 0 for the first of
// the instance; of a hundred at most.
func (r *resending) everything(ctx context.Context, since int64) error {
	for n := max(since, r.t.execution-furthestBack, r.t.FirstExecution(), 1); n <= r.t.execution; n++ {
		if err := r.execution(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

func (r *resending) execution(ctx context.Context, n int64) error {
	turns, err := r.read(ctx, n)
	if err != nil {
		return err
	}
	for i := range turns {
		r.turn(turns, i)
	}
	return nil
}

// endBefore adds the end of the execution before the current one, of which this is
// the continuation.
func (r *resending) endBefore(ctx context.Context) error {
	n := r.t.execution
	if n <= max(r.t.FirstExecution(), 1) {
		return nil
	}
	turns, err := r.read(ctx, n-1)
	if err == nil && len(turns) > 0 {
		r.turn(turns, len(turns)-1)
	}
	return err
}

// read reads an execution. One that can't be read by anybody, or by this build, has
// nothing to be sent again; a read that fails for the moment is made again when the
// message comes back.
func (r *resending) read(ctx context.Context, n int64) ([]store.Turn, error) {
	turns, err := r.t.Read(ctx, n)
	if reading.Corrupt(err) || edge.MissesCodec(err) || errors.Is(err, history.ErrNewer) {
		return nil, nil
	}
	return turns, err
}

// turn adds one commit of an execution: what it scheduled and is open still,
// what it cancelled, and its end.
func (r *resending) turn(turns []store.Turn, i int) {
	t := &turns[i]
	slot := place{t.ExecutionID, t.First()}
	if r.done[slot] || r.t.group.sent[slot] {
		return
	}
	r.done[slot] = true
	open := r.open[t.ExecutionID]
	if open == nil {
		open = dispatch.Work{}
		open.AddTurns(turns)
		r.open[t.ExecutionID] = open
	}
	started := &turns[0].Events[0]
	c := dispatch.Commit{Turn: t, Start: started.Start, Name: started.Name, Done: map[int64]bool{}, Opened: dispatch.OpenedBy(turns, t.Cancelled)}
	if c.Start == nil {
		c.Start = &history.Start{}
	}
	if dispatch.Ends(t) {
		c.Parents = engine.AttachedIn(reading.EventsOf(turns))
	}
	for i := range t.Events {
		id := t.Events[i].EventID
		_, still := open[id]
		c.Done[id] = !still || t.ExecutionID == r.t.execution && r.t.heard(id)
	}
	r.t.Observer.Count(host.CountResent, "commit", 1)
	r.out.Add(c)
}

func (r *resending) flush(ctx context.Context) error {
	err := r.t.dispatch(ctx, r.out)
	for slot := range r.done {
		if err == nil {
			r.t.group.hasSent(slot)
		}
	}
	return err
}
