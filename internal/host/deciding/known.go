package deciding

import (
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/internal/redriving"
	"github.com/turnstile-go/turnstile/store"
)

// ErrStale means that the state of an instance that is warm, or whose record was not read, must be
// confirmed from the store. The turn is made again without the cache.
var ErrStale = errors.New("host: instance must be rebuilt from the store")

// Known is everything that a decision depends on, except how far the turn has come: the messages,
// what is stored, the execution that runs, and the facts about the process. The caller keeps it up
// to date. Decisions only read it, with three exceptions: they put the messages into order, name
// the group's suspect, and drop the state of an activity that a heartbeat replaces.
type Known struct {
	By    *Terms
	Group *Group
	// Now is updated before each decision.
	Now     Moment
	View    reading.View
	Running Running
	// Chain that the turn continues.
	Chain dispatch.Chain
	// Activities are the states of pending activities that were read.
	Activities map[store.ActivityKey]store.ActivityState
	// Answered is the last read that a decision requested. It is empty after any other step was
	// carried out, because the result may then be outdated.
	Answered What
}

// Forget drops the answers that may be outdated after something was carried out.
func (k *Known) Forget() {
	k.View.Forget()
	k.Answered = nothing
}

// held reports whether a purged instance still reserves the id.
func (k *Known) held() bool { return k.View.Held(k.Now.At) }

// swept reports whether the instance has a problem that the sweeper handles. Only a new event, or a
// wake by the sweeper or an operator, clears it. Otherwise the following could happen: process A
// clears the problem for a duplicate and dies while its commit is in progress; process B, whose
// build is broken, acknowledges that duplicate; then A's commit lands. No message remains that
// would dispatch A's commit.
func (k *Known) swept() bool {
	p := k.View.Problem()
	return p != nil && p.Kind != store.ProblemCorrupt
}

// Terms are the same for all turns of a process.
type Terms struct {
	Settings       *host.Settings
	Orchestrations *engine.Registry
	// Build is the name of the running build.
	Build string
	// Publishes is set if events about instances have a subscriber.
	Publishes bool
}

// Keeps returns the number of executions of an instance that are kept; 0 for all.
func (t *Terms) Keeps(orchestration string) int64 {
	if n := t.Orchestrations.Executions()[orchestration]; n > 0 {
		return int64(n)
	}
	return int64(t.Settings.Purge.Executions)
}

// limit returns the limit of an execution that an OrchestrationStarted starts: the limit that the
// start names, otherwise the limit of the implementation. If the implementation has the named key,
// the implementation's number applies, because the start may come from an older build or a redrive.
func (t *Terms) limit(started *history.Event) (key string, n int) {
	if started.Start != nil {
		key, n = started.Start.LimitKey, started.Start.Limit
	}
	if o, err := t.Orchestrations.Lookup(started.Name, started.Version); err == nil && (key == "" || key == o.LimitKey) {
		return o.LimitKey, o.Limit
	}
	return key, n
}

// Moment has the facts about the process that a decision needs.
type Moment struct {
	At time.Time
	// Left is the time that the invocation has left.
	Left time.Duration
	// Blocked is the blocked goroutine in the code of the instance; nil if there is none.
	Blocked *engine.Blocked
}

// has reports whether that much time is left.
func (m *Moment) has(need time.Duration) bool { return m.Left >= need }

// Running is the execution that a turn continues.
type Running struct {
	// X is nil if no execution exists, or if it was not read because it has nothing left to do.
	X         *engine.Execution
	Execution int64
	Work      dispatch.Work
	// Warm is set if it comes from the cache.
	Warm  bool
	Stage Stage
	// Redriven has the events that the execution copies from the previous execution, while it is
	// Creating; nil for none.
	Redriven *redriving.Plan
	// Origin is the instance that the execution's start forks. Its record is nil if the start is
	// not a fork.
	Origin reading.View
}

// Stage is what this turn has committed of the execution.
type Stage uint8

const (
	// Loaded: nothing.
	Loaded Stage = iota
	// Starting means that nothing was committed, and the start among the messages creates the
	// record, or replaces it if it restarts the instance.
	Starting
	// Recorded means that arrivals were committed, before the code has run on them.
	Recorded
	// Committed means that the results of the code were committed.
	Committed
)

// Creating reports whether the next commit starts the execution.
func (r *Running) Creating() bool { return r.Stage == Starting }

// Confirmed reports whether a commit has shown that the execution is not stale.
func (r *Running) Confirmed() bool { return r.Stage >= Recorded }

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
