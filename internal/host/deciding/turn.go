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

// ErrStale says that the state of a warm instance, or of one whose record was not read, must be
// confirmed from the store: the turn is made again without the cache.
var ErrStale = errors.New("host: instance must be rebuilt from the store")

// Turn is the state of one attempt at the turn of a group: what was loaded, which execution runs,
// which message is suspected, and how far the attempt has come.
type Turn struct {
	By    *Terms
	Group *Group
	// Cold forbids the cache, and requires the record to be read.
	Cold bool
	// Now is updated before each decision.
	Now     Moment
	View    reading.View
	Running Running
	// Chain that the turn continues.
	Chain     dispatch.Chain
	Suspicion Suspicion
	// Keep: the execution may be cached.
	Keep   bool
	passed passed
	// round in progress; nil between rounds.
	round *round
	// plan is the memory of the plan that is being made.
	plan Plan
}

// Terms are the same for all turns of a process.
type Terms struct {
	Settings       *host.Settings
	Orchestrations *engine.Registry
	Keys           *keyring.Ring
	// Build is the name of the running build.
	Build string
	// Publishes: events about instances have a subscriber.
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

// Moment has the facts about the process that a decision needs.
type Moment struct {
	At time.Time
	// Left is the time that the invocation has left; unlimited if not Bounded.
	Left    time.Duration
	Bounded bool
	// Blocked is the blocked goroutine in the code of the instance; nil if there is none.
	Blocked *engine.Blocked
}

// has reports whether that much time is left.
func (m *Moment) has(need time.Duration) bool { return !m.Bounded || m.Left >= need }

// Running is the execution that a turn continues.
type Running struct {
	// X is nil if no execution exists, or if it was not read because it has nothing left to do.
	X         *engine.Execution
	Execution int64
	Work      dispatch.Work
	// Warm: it comes from the cache. Confirmed: a commit has shown that it was not stale.
	Warm, Confirmed bool
	// Creating: the start among the messages creates the record, or replaces it if it restarts the
	// instance.
	Creating bool
	// Redriven has the events that the execution copies from the one before, while Creating; nil for
	// none.
	Redriven *Redriven
	// Origin is the instance that its start forks.
	Origin reading.View
}

// Heat returns whether the execution comes from the cache ("warm") or not ("cold").
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

// passed is the progress of an attempt.
type passed struct {
	// suspect: the rule for suspected poison messages was applied.
	suspect bool
	// damage of the history; nil if none is known.
	damage          *damage
	again           again
	pendingProgress pendingProgress
	// taking: rest are the messages that are still to be handled.
	taking bool
	// found: the last handled message is a start that has found the instance running.
	found bool
	rest  []*inbox.Message
	// forced: the instance was failed because no commit can hold its turn; refused is the reason
	// if not even that failure can be committed.
	forced  bool
	refused error
	// continued is how many executions were run in this invocation.
	continued int
	// asked is the read that the last decision asked for.
	asked What
	// reported are the unreported instance events that the record had.
	reported string
}

// held reports whether a purged instance still reserves the id.
func (t *Turn) held() bool { return t.View.Held(t.Now.At) }

func (t *Turn) open() []*inbox.Message { return t.Group.Open() }

// Wrote records a separate write of the record.
func (t *Turn) Wrote(w *Write) {
	t.View.Changed(w.Change)
	if w.Change.Suspect != nil {
		t.Suspicion.Marked, t.Group.Marked = true, true
	}
}

// Hidden records that the record is now a tombstone, which reserves the id until then.
func (t *Turn) Hidden(freeAt time.Time) {
	hidden := t.View.Record.Hidden(freeAt)
	t.View.Record = &hidden
}
