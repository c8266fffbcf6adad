package schedule

import (
	"encoding/json"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/coordination"
)

// schedules is the orchestration, controls the event that carries its commands, and status the state that it
// publishes.
var (
	schedules = turnstile.NewOrchestration[State, State](coordination.Schedules)
	controls  = turnstile.NewEvent[command]("turnstile.schedule.control").Rejecting()
	status    = turnstile.NewState[State]("status")
)

// keptExecutions is how many executions of a schedule are kept, in addition to those of the last 15 days. The
// state has all information that is needed from earlier executions.
const keptExecutions = 10

// Part returns the orchestration whose instances are the schedules, for [turnstile.NewApp].
func Part() turnstile.Component {
	return schedules.With(turnstile.KeepExecutions(keptExecutions)).Implement(run)
}

// runID returns the id of the instance that a scheduled time starts.
func runID(name string, scheduled time.Time) string {
	return coordination.StartedPrefix(name) + scheduled.UTC().Format(time.RFC3339Nano)
}

// command is a request to a schedule.
type command struct {
	Op string `json:"op"`
	// ID of the call, from which the id of a triggered instance is derived.
	ID   string `json:"id"`
	Note string `json:"note,omitempty"`
	// Definition is for opCreate and opUpdate, Times are for opBackfill.
	Definition *Definition `json:"definition,omitempty"`
	Times      []time.Time `json:"times,omitempty"`
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

// wakesAnExecution is the number of times that a schedule wakes up before it continues as new; each
// wake-up records about ten events.
const wakesAnExecution = 20

// runner is one execution of a schedule.
type runner struct {
	State
	// timer fires at the next scheduled time; started is false while there is no timer.
	timer   turnstile.Future[struct{}]
	started bool
	// children are the instances of Running, at the same index.
	children []turnstile.Future[json.RawMessage]
	// changed is set if the state must be published.
	changed bool
}

// run is the implementation of the orchestration.
func run(ctx turnstile.Context, s State) (State, error) {
	// A schedule that Apply has started is not published before its definition arrives as an event.
	applied := s.Revision == 0 && s.Deleted
	r := &runner{State: s, changed: !applied}
	if r.Revision == 0 && !applied {
		r.Revision = 1
		if err := r.plan(ctx); err != nil {
			return r.State, err
		}
	}
	// Instances that an earlier execution started report their end to this one.
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
			err = r.startDue(ctx)
		}
		if err != nil {
			return r.State, err
		}
	}
}

// wait returns what happened: 0 for a command, 1 to n for a child, n+1 for the timer.
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
	return turnstile.SelectWithoutCancel(ctx, awaited...)
}

// show publishes the state.
func (r *runner) show(ctx turnstile.Context) error {
	if !r.changed {
		return nil
	}
	r.changed = false
	return status.Set(ctx, r.State)
}

// scheduledTimes returns the calculator of scheduled times. The client has checked the definition, so an error
// means that this build is the problem: it may lack the time zone. The panic makes the schedule stuck
// until a build has the time zone.
func (r *runner) scheduledTimes() *scheduledTimes {
	t, err := r.Definition.scheduledTimes()
	if err != nil {
		panic(err)
	}
	return t
}

// plan records the first scheduled time after now.
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
	next, err := turnstile.SideEffect(ctx, "next run", func() (time.Time, error) {
		return r.scheduledTimes().after(now), nil
	})
	r.Next = next
	return err
}

// startDue processes the scheduled times that are due.
func (r *runner) startDue(ctx turnstile.Context) error {
	r.started, r.changed = false, true
	now := turnstile.Now(ctx)
	found, err := turnstile.SideEffect(ctx, "due runs", func() (due, error) {
		return r.scheduledTimes().dueAt(r.Next, now), nil
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
