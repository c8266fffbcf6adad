package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// Scope is a world so small that every run of it can be made: a fixed program,
// the messages that clients send, two processes, and a bound for each sort of
// fault. Explore makes all of them.
type Scope struct {
	// Name of the scope, and in a sentence what it is about.
	Name, About string
	// Large: it is searched by the soak command, not in CI.
	Large bool
	// Allowance is what may go wrong in one run.
	Allowance Allowance
	// Cached: the processes keep warm instances. Without, an idle process is
	// as good as any other, and there are far fewer states.
	Cached bool
	// Workers: activities run in a process that is interleaved and may crash
	// like any other, and one process of each role runs. Else an activity runs
	// and is answered in one go (see worker), and two orchestrators run.
	Workers bool
	// Scheduled: all timers go through the timer service, none through the
	// delay queue.
	Scheduled bool

	// code is what the orchestrations do, by name; bad is that of the build that
	// is deployed at first, nil for the same.
	code, bad map[string]engine.Func
	// messages are what clients send, in this order, each at any moment behind
	// the one before.
	messages []request
	// outcomes are the ends that each instance may have: its output where it has
	// completed, else its status; "" if it need not be there.
	outcomes map[string][]string
	sabotage sabotage
}

// request is a message of a client.
type request struct {
	wire.Item
	// aside: it goes to the delay queue, as those of senders that can't set a
	// group, and not ahead of its instance's first turn. So it may be handled
	// beside others of its instance.
	aside bool
}

// Allowance bounds the faults of a run.
type Allowance struct {
	// Crashes of a process: before or after the effect of a call, or with the
	// call landing at any later moment.
	Crashes int
	// Answers that are lost: the call took effect, never does, or lands at any
	// later moment; or it is throttled.
	Answers int
	// Duplicates: a batch becomes visible again while its process handles it.
	Duplicates int
}

// patience is how often time may pass before a build that does not work is
// replaced: wakes of a stuck instance would never end.
const patience = 1

// ScopeNamed returns a scope of Scopes.
func ScopeNamed(name string) (*Scope, error) {
	var names []string
	for _, s := range Scopes() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("there is no scope %q; there are %q", name, names)
}

// A scope is a scenario; begin is left to the walk.

var _ scenario = (*Scope)(nil)

func (s *Scope) registry(name string, code map[string]engine.Func) *build {
	var all []engine.Orchestration
	for orchestration, f := range code {
		all = append(all, engine.Orchestration{Name: orchestration, Func: f, Source: "simulation"})
	}
	r, err := engine.NewRegistry(all...)
	if err != nil {
		panic(err)
	}
	return &build{name, r}
}

func (s *Scope) working() *build { return s.registry("working", s.code) }

func (s *Scope) activities(p *process) *activity.Registry {
	r, err := activity.NewRegistry(activity.Activity{Name: "work", Source: "simulation", Func: func(_ context.Context, input []byte) ([]byte, error) {
		p.w.log("%s does the work %s", p.name, input)
		return input, nil
	}})
	if err != nil {
		panic(err)
	}
	return r
}

func (s *Scope) broken(*World) *build               { return s.registry("broken", s.bad) }
func (s *Scope) inline(*process) *activity.Registry { return nil }
func (s *Scope) begin(*World)                       {}
func (s *Scope) created(*World, string, string)     {}
func (s *Scope) size() string                       { return plural(len(s.outcomes), "instance") }

// String says what the scope is.
func (s *Scope) String() string {
	return fmt.Sprintf("scope %s: %s (%+v, cached %t, workers %t, scheduled %t)\n", s.Name, s.About, s.Allowance, s.Cached, s.Workers, s.Scheduled)
}

// check compares how each instance ended with how it may.
func (s *Scope) check(w *World) {
	for instance, outcomes := range s.outcomes {
		r, err := w.store.Describe(context.Background(), instance)
		if err != nil && slices.Contains(outcomes, "") {
			continue // It need not be there.
		}
		if err != nil {
			w.violate("outcome", "%s was never started", instance)
			continue
		}
		if end := ending(&r); !slices.Contains(outcomes, end) {
			w.violate("outcome", "%s ended as %s, and may only as %q", instance, end, outcomes)
		}
	}
}

// ending is how an instance stands, in short.
func ending(r *store.Record) string {
	if r.Status != store.StatusCompleted {
		return string(r.Status)
	}
	var s string
	if err := json.Unmarshal(r.Output, &s); err != nil {
		return string(r.Output)
	}
	return s
}
