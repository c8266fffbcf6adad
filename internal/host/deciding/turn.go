package deciding

import (
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/internal/keyring"
)

// ErrStale says that what a warm instance, or one whose record was not read,
// seems to say must be confirmed from the store: the turn is made again, cold.
var ErrStale = errors.New("host: to be rebuilt from the store")

// Turn is what is known in one attempt at the turn of a group: what was loaded, what runs,
// what is suspected, and how far the attempt has come.
type Turn struct {
	By    *Terms
	Group *Group
	// Cold forbids the cache, and has the record read.
	Cold bool
	// Now is brought up to date before each decision.
	Now     Moment
	View    reading.View
	Running Running
	// Chain of what the turn goes on with.
	Chain     dispatch.Chain
	Suspicion Suspicion
	// Keep: the execution may go into the cache.
	Keep   bool
	passed passed
	// round that is under way; nil between two.
	round *round
	// plan is the plan that is being made; the turn only holds its memory.
	plan Plan
}

// Terms are what all turns of a process go by.
type Terms struct {
	Settings       *host.Settings
	Orchestrations *engine.Registry
	Keys           *keyring.Ring
	// Build names what runs here.
	Build string
	// Sealed: payloads are sealed in what is stored.
	Sealed bool
	// Publishes: somebody subscribes to events about instances.
	Publishes bool
	// Executions is how many executions of an instance are kept, by orchestration.
	Executions map[string]int
}

// Keeps returns how many executions of an instance are kept; 0 for all.
func (t *Terms) Keeps(orchestration string) int64 {
	if n := t.Executions[orchestration]; n > 0 {
		return int64(n)
	}
	return int64(t.Settings.Purge.Executions)
}

// Moment is what a decision has to know of its process.
type Moment struct {
	At time.Time
	// Left is the time that is left of the invocation; it has no end where it is not
	// Bounded.
	Left    time.Duration
	Bounded bool
	// Blocked is what blocks in the code of the instance; nil if nothing does.
	Blocked *engine.Blocked
}

// has reports whether so much time is left.
func (m *Moment) has(need time.Duration) bool { return !m.Bounded || m.Left >= need }

// Running is the execution that a turn goes on with.
type Running struct {
	// X is nil where there is none, or where it was not read because nothing can
	// come of it.
	X         *engine.Execution
	Execution int64
	Work      dispatch.Work
	// Warm: it comes from the cache. Confirmed: a commit has shown that it was not
	// stale.
	Warm, Confirmed bool
	// Creating: the start among the messages makes the record, or makes it anew where
	// it begins the instance again.
	Creating bool
	// Redriven is what the execution takes over from the one before, while Creating; nil
	// for nothing.
	Redriven *Redriven
	// Origin is the instance that its start forks.
	Origin reading.View
}

// Heat says in a word where the execution comes from.
func (r *Running) Heat() string {
	if r.Warm {
		return "warm"
	}
	return "cold"
}

// Started returns OrchestrationStarted of the current execution; its Start is
// never nil.
func (r *Running) Started() *history.Event {
	if r.X != nil {
		if e := r.X.Started(); e != nil && e.Start != nil {
			return e
		}
	}
	return &history.Event{Start: &history.Start{}}
}

// passed is how far an attempt has come.
type passed struct {
	// suspect: it was looked whether the message kills its process.
	suspect bool
	// damage of the history; nil where nothing is known of one.
	damage *damage
	again  again
	about  about
	// taking: rest are the messages that are still to be taken.
	taking bool
	// found: the last of those taken is a start that has found the instance running.
	found bool
	rest  []*inbox.Message
	// imposed: the group that no commit can hold was failed; refused is why not even
	// its failure can be committed.
	imposed bool
	refused error
	// continued is how many executions were run in this invocation.
	continued int
	// asked is what the last decision could not go on without.
	asked What
	// told are the events about the instance that the record had.
	told string
}

// held reports whether a purged instance holds the id still.
func (t *Turn) held() bool { return t.View.Held(t.Now.At) }

func (t *Turn) open() []*inbox.Message { return t.Group.Open() }

// Wrote takes in that the record was changed by itself.
func (t *Turn) Wrote(w *Write) {
	t.View.Changed(w.Change)
	if w.Change.Suspect != nil {
		t.Suspicion.Marked, t.Group.Marked = true, true
	}
}

// Hidden takes in that the record is a tombstone, which holds the id until then.
func (t *Turn) Hidden(freeAt time.Time) {
	hidden := t.View.Record.Hidden(freeAt)
	t.View.Record = &hidden
}
