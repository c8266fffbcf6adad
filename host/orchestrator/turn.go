package orchestrator

import (
	"context"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/cache"
	"github.com/turnstile-go/turnstile/host/internal/dispatch"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/host/internal/reading"
	"github.com/turnstile-go/turnstile/wire"
)

// errRebuild says that what a warm instance, or one whose record was not read,
// seems to say must be confirmed from the store: the turn is made again, cold.
var errRebuild = errors.New("host: to be rebuilt from the store")

// turn is one attempt at the turn of a group: what was read of its instance, what
// runs, what is suspected and what was sent are values, and the steps go from one
// to the next.
type turn struct {
	*maker
	group *group
	// cold forbids the cache, and has the record read.
	cold bool

	reading.View
	running
	suspicion
	sent

	// creating: the start among the messages makes the record.
	creating bool
	// corrupt: the history is damaged.
	corrupt bool
	// blockedBy is what blocks in the code of the instance, nil if nothing does.
	blockedBy *engine.Blocked
	// keep: the execution may go into the cache.
	keep bool
	// continued is how many executions were run in this invocation.
	continued int
}

// running is the execution that a turn goes on with.
type running struct {
	// x is nil where there is none, or where it was not read because nothing can
	// come of it.
	x         *engine.Execution
	execution int64
	work      dispatch.Work
	// warm: it comes from the cache. confirmed: a commit has shown that it was not
	// stale.
	warm, confirmed bool
}

// sent is what a turn has dispatched.
type sent struct {
	// row is that of what was dispatched last: the next commit of this turn goes on
	// with it.
	row dispatch.Row
	// chain of what the turn goes on with.
	chain dispatch.Chain
	// began is when the work on the next commit did, before the commit that this
	// turn has made last.
	began  time.Time
	before dispatch.Place
}

func (r *running) heat() string {
	if r.warm {
		return "warm"
	}
	return "cold"
}

// handle takes the group's messages through. It settles those that are done;
// with an error, the others have to come back. store.ErrConflict,
// *store.TooLargeError, errRebuild and history.ErrNewer ask for more; nothing
// of what they are about was dispatched.
func (t *turn) handle(ctx context.Context) error {
	err := t.proceed(ctx)
	if reading.Corrupt(err) {
		return t.corrupted(t.about(ctx), err)
	}
	return err
}

func (t *turn) proceed(ctx context.Context) error {
	if err := t.load(ctx); err != nil {
		return err
	}
	ctx = t.about(ctx)
	t.Observer.Count(host.CountCache, t.heat(), 1)
	if t.x == nil {
		return t.withoutExecution(ctx)
	}
	if err := t.checkSuspect(ctx); err != nil {
		return err
	}
	if t.group.tooLarge != nil {
		return t.imposeTooLarge(ctx)
	}
	if err := t.takeReturning(ctx); err != nil {
		return err
	}
	if err := t.takePending(ctx); err != nil {
		return err
	}
	return t.takeMessages(ctx)
}

// takeMessages goes through the messages in their order. What becomes history
// is taken together, up to an item that is handled by itself.
func (t *turn) takeMessages(ctx context.Context) error {
	rest := t.group.open()
	for len(rest) > 0 {
		n := 0
		for n < len(rest) && rest[n].Item.Kind != wire.TerminateInstance && rest[n].Item.Kind != wire.PurgeInstance {
			n++
		}
		if err := t.takeSome(ctx, rest[:n]); err != nil {
			return err
		}
		if n == len(rest) {
			return nil
		}
		single := rest[n]
		take := t.terminate
		if single.Item.Kind == wire.PurgeInstance {
			take = t.purge
		}
		if err := take(ctx, single); err != nil {
			return err
		}
		rest = rest[n+1:] // Behind a purge, for what has ended.
	}
	return nil
}

// takeSome takes arrivals and wakes, all in one turn.
func (t *turn) takeSome(ctx context.Context, messages []*inbox.Message) error {
	var arrivals, wakes []*inbox.Message
	for _, m := range messages {
		switch {
		case m.Item.Kind == wire.Wake:
			wakes = append(wakes, m)
		case t.foreignParent(m):
			t.Settle(m, "misaddressed")
		case forbids(t.Record, m):
			t.Settle(m, "duplicate")
		default:
			arrivals = append(append(arrivals, t.brought(m)...), m)
		}
	}
	w, err := t.takeWakes(ctx, wakes)
	if err != nil {
		return err
	}
	if len(arrivals) > 0 || w.run {
		if err := t.advance(ctx, arrivals, w); err != nil {
			return err
		}
	}
	for _, m := range wakes {
		if m.State == inbox.Unsettled {
			t.Settle(m, "wake")
		}
	}
	return nil
}

// foreignParent reports whether a cancel or terminate that a parent sent to
// its child reached another instance: one whose id the parent wanted for a
// child and could not have.
func (t *turn) foreignParent(m *inbox.Message) bool {
	if !m.EndsChild() {
		return false
	}
	own := t.started().Start.Parent
	if t.creating {
		if start := newStart(t.Record, t.group.open()); start != nil {
			own = recordedParent(start.Item.Parent)
		}
	}
	return own == nil || *own != *recordedParent(m.Item.Parent)
}

// release ends the attempt: the suspect's mark goes, however the turn
// returned, and what may be kept goes into the cache.
func (t *turn) release(ctx context.Context, err error) {
	t.clearSuspect(ctx, err != nil)
	if t.x == nil {
		return
	}
	if err == nil && t.keep && !t.x.Ended() {
		t.cache.Put(&cache.Entry{Instance: t.Instance, X: t.x, Execution: t.execution, Work: t.work, Record: t.Record, Current: t.Current})
		return
	}
	t.x.Close()
}
