package schedule

import (
	"encoding/json"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/scheduling"
)

// schedules is the orchestration, and controls what it is asked for.
var (
	schedules = turnstile.NewOrchestration[State, State](scheduling.Orchestration)
	controls  = turnstile.NewEvent[command]("turnstile.schedule.control").Rejecting()
)

// keptExecutions are the executions of a schedule that are kept, beside those of the last
// fifteen days. What it has to know of earlier ones is in its state.
const keptExecutions = 10

// Part is the orchestration that schedules are instances of, for [turnstile.NewApp].
func Part() turnstile.Part {
	return schedules.With(turnstile.KeepExecutions(keptExecutions)).Implement(run)
}

// tickID is the id of the instance that a tick starts.
func tickID(name string, tick time.Time) string {
	return scheduling.StartedPrefix(name) + tick.UTC().Format(time.RFC3339Nano)
}

// command is what a schedule is asked for.
type command struct {
	Op string `json:"op"`
	// ID of the call, from which a triggered instance has its id.
	ID   string `json:"id"`
	Note string `json:"note,omitempty"`
	// Definition is for opCreate and opUpdate, Ticks are for opBackfill.
	Definition *Definition `json:"definition,omitempty"`
	Ticks      []time.Time `json:"ticks,omitempty"`
}

const (
	opCreate   = "create"
	opUpdate   = "update"
	opPause    = "pause"
	opResume   = "resume"
	opTrigger  = "trigger"
	opBackfill = "backfill"
	opDelete   = "delete"
)

// wakesAnExecution is how often a schedule wakes up before it continues as new: some ten
// events each time.
const wakesAnExecution = 20

// runner is one execution of a schedule.
type runner struct {
	State
	// timer fires at the next tick; started is false while there is none.
	timer   turnstile.Future[struct{}]
	started bool
	// children are the instances of Running, at the same index.
	children []turnstile.Future[json.RawMessage]
	// changed: the state has to be shown.
	changed bool
}

// run is the implementation of the orchestration.
func run(ctx turnstile.Context, s State) (State, error) {
	// One that Apply has started is not shown before its definition, which comes as an event.
	applied := s.Revision == 0 && s.Deleted
	r := &runner{State: s, changed: !applied}
	if r.Revision == 0 && !applied {
		r.Revision = 1
		if err := r.plan(ctx); err != nil {
			return r.State, err
		}
	}
	// What was started by an earlier execution tells this one of its end.
	for i := range r.Running {
		r.children = append(r.children, r.child(ctx, &r.Running[i]))
	}
	control := controls.Next(ctx)
	for wakes := 0; ; wakes++ {
		if wakes >= wakesAnExecution && !control.Ready() {
			return r.State, schedules.ContinueAsNew(ctx, r.State)
		}
		if err := r.show(ctx); err != nil {
			return r.State, err
		}
		which, err := r.wait(ctx, control)
		if err != nil {
			return r.State, err
		}
		switch {
		case which == 0:
			c, err := control.Await(ctx)
			if err == nil {
				err = r.obey(ctx, &c)
			}
			if err != nil {
				return r.State, err
			}
			control = controls.Next(ctx)
		case which <= len(r.children):
			err = r.hasEnded(ctx, which-1)
		default:
			err = r.tick(ctx)
		}
		if err != nil {
			return r.State, err
		}
	}
}

// wait returns what happens next: 0 for the control, 1 to n for a child, n+1 for the timer.
func (r *runner) wait(ctx turnstile.Context, control turnstile.Future[command]) (int, error) {
	awaited := []turnstile.Awaitable{control}
	for _, child := range r.children {
		awaited = append(awaited, child)
	}
	if !r.Next.IsZero() {
		if !r.started {
			r.timer, r.started = turnstile.At(ctx, r.Definition.fires(r.Next)), true
		}
		awaited = append(awaited, r.timer)
	}
	return turnstile.SelectKeep(ctx, awaited...)
}

// show publishes the state.
func (r *runner) show(ctx turnstile.Context) error {
	if !r.changed {
		return nil
	}
	r.changed = false
	return turnstile.SetCustomStatus(ctx, r.State)
}

// ticks returns what computes the ticks. The client has checked the definition, so what is wrong
// with it is wrong with this build, which may lack the time zone. The panic makes the schedule stuck
// until a build has it.
func (r *runner) ticks() *ticks {
	t, err := r.Definition.ticks()
	if err != nil {
		panic(err)
	}
	return t
}

// plan records the first tick after now.
func (r *runner) plan(ctx turnstile.Context) error {
	r.changed = true
	if r.started {
		r.started = false
		if err := r.timer.Cancel("the schedule has changed"); err != nil {
			return err
		}
	}
	if r.Next = (time.Time{}); r.Paused || r.Deleted {
		return nil
	}
	now := turnstile.Now(ctx)
	r.Since = now
	next, err := turnstile.SideEffect(ctx, "next tick", func() (time.Time, error) {
		return r.ticks().after(now), nil
	})
	r.Next = next
	return err
}

// tick takes what is due.
func (r *runner) tick(ctx turnstile.Context) error {
	r.started, r.changed = false, true
	now := turnstile.Now(ctx)
	found, err := turnstile.SideEffect(ctx, "due ticks", func() (due, error) {
		return r.ticks().dueAt(r.Next, now), nil
	})
	if err != nil {
		return err
	}
	r.Next = found.Next
	if found.Missed != nil {
		r.missed(*found.Missed)
	}
	for _, at := range found.Start {
		if err := r.offer(ctx, now, at); err != nil {
			return err
		}
	}
	return nil
}
