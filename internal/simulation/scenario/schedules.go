package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/schedule"
	"github.com/turnstile-go/turnstile/store"
)

// scheduled is a schedule with several runs, which a client cancels after the last of them. Each
// run starts an instance that runs an activity.
type scheduled struct {
	definition schedule.Definition
	ticks      int
	// asked is the request to it in the meantime; empty for none.
	asked []string
	// kept is how long the instances of its runs are kept after their end; 0 for ever.
	kept time.Duration
	// takes is how long an instance of a run waits before its work. nudges is the number of
	// simultaneous requests that this build does not know. Each wakes the schedule, which continues
	// as new after a number of them.
	takes  time.Duration
	nudges int
	// backfills is set if a client requests all runs whose time has passed by then.
	backfills bool
	// created is set if its instance has started.
	created bool
}

var (
	job  = turnstile.NewOrchestration[string, string]("Job")
	work = turnstile.NewActivity[string, string]("job")
)

// again is the suffix of the input of a job that has continued as new.
const again = ", again"

func newSchedules(w *world.World) *scheduled {
	at := w.Choices.At(choice.OfProgram, "the schedule")
	every := []time.Duration{10 * time.Minute, time.Hour}[w.Choices.IntN(at, 2)]
	begin := w.Clock.Now().Add(every).Truncate(every)
	s := &scheduled{ticks: 2 + w.Choices.IntN(at, 24)}
	s.definition = schedule.Definition{Name: "s", Every: every, StartAt: begin, End: begin.Add(time.Duration(s.ticks-1) * every),
		Overlap: []schedule.Overlap{schedule.Skip, schedule.BufferOne, schedule.BufferAll, schedule.Allow, schedule.CancelRunning}[w.Choices.IntN(at, 5)],
		CatchUp: []schedule.CatchUp{schedule.CatchUpLast, schedule.CatchUpAll, schedule.CatchUpNone}[w.Choices.IntN(at, 3)],
		Starts:  schedule.Orchestration(job, world.Marker)}
	if s.definition.Overlap == schedule.CancelRunning && w.Choices.Even(w.Choices.At(at, "terminates")) {
		s.definition.Overlap = schedule.TerminateRunning
	}
	if w.Choices.OneIn(at, 3) {
		ops := []string{"pause", "resume", "trigger", "delete"}
		for range 1 + w.Choices.IntN(at, 3) {
			s.asked = append(s.asked, ops[w.Choices.IntN(at, len(ops))])
		}
	}
	if w.Choices.Even(w.Choices.At(at, "kept")) {
		s.kept = time.Hour
	}
	s.takes = []time.Duration{0, every / 2, every * 3 / 2, every * 5}[w.Choices.IntN(w.Choices.At(at, "takes"), 4)]
	s.nudges = []int{0, 0, 40, 120}[w.Choices.IntN(w.Choices.At(at, "nudges"), 4)]
	s.backfills = w.Choices.OneIn(w.Choices.At(at, "backfills"), 3)
	return s
}

func (s *scheduled) Size() string { return world.Plural(s.ticks, "tick") }

func (s *scheduled) String() string {
	return fmt.Sprintf("a schedule of %d runs, with the requests %v (backfills: %t) and %d unknown requests, whose instances take %s and are kept for %s (0s: for ever): %+v\n",
		s.ticks, s.asked, s.backfills, s.nudges, s.takes, s.kept, s.definition)
}

func (s *scheduled) app() *turnstile.App {
	return turnstile.NewApp(schedule.Part(), job.With(turnstile.Retention(s.kept)).Implement(func(ctx turnstile.Context, in string) (string, error) {
		if !strings.HasSuffix(in, again) {
			return "", job.ContinueAsNew(ctx, in+again)
		}
		if s.takes > 0 {
			if err := turnstile.Sleep(ctx, s.takes); err != nil {
				return "", err
			}
		}
		return work.Call(ctx, in)
	}))
}

func (s *scheduled) Working() *world.Build {
	return &world.Build{Name: "working", Orchestrations: s.app().Orchestrations()}
}

func (s *scheduled) Broken(w *world.World) *world.Build {
	return broken(w, coordination.Schedules, job.Name())
}

func (s *scheduled) Activities(p *world.Process) *activities.Registry {
	return turnstile.NewApp(work.Implement(func(ctx context.Context, in string) (string, error) {
		info, _ := activities.InfoFrom(ctx)
		return in, p.TakeTime(ctx, info.Instance)
	})).Activities()
}

func (s *scheduled) Inline(*world.Process) *activities.Registry { return nil }

func (s *scheduled) Start(w *world.World) {
	input, err := json.Marshal(schedule.State{Definition: s.definition})
	if err != nil {
		panic(err)
	}
	instance := coordination.ScheduleID(s.definition.Name)
	w.SendItem(wire.Item{Kind: wire.StartOrchestration, Instance: instance, Name: coordination.Schedules, Input: input, ID: "start"})
	if s.kept > 0 {
		w.SweepEnded(int(s.definition.End.Sub(w.Clock.Now())/time.Hour) + 72)
	}
	nudged := w.Choices.At(choice.OfClient, "nudges")
	if s.nudges > 0 {
		after := time.Duration(w.Choices.IntN(nudged, int(s.definition.End.Sub(w.Clock.Now())/time.Second))) * time.Second
		w.Clock.AfterFunc(after, func() {
			for i := range s.nudges {
				w.SendItem(wire.Item{Kind: wire.ExternalRaised, Instance: instance, Name: "turnstile.schedule.control", Data: []byte(`{"op":"nudge"}`), ID: fmt.Sprint("nudge-", i)})
			}
		})
	}
	if s.backfills {
		w.Clock.AfterFunc(time.Duration(w.Choices.IntN(w.Choices.At(choice.OfClient, "backfills"), int(s.definition.End.Sub(w.Clock.Now())/time.Second)))*time.Second, func() {
			asked := backfill{Op: "backfill", ID: "backfill"}
			for tick := s.definition.StartAt; !tick.After(w.Clock.Now()); tick = tick.Add(s.definition.Every) {
				asked.Times = append(asked.Times, tick)
			}
			data, _ := json.Marshal(asked)
			w.SendItem(wire.Item{Kind: wire.ExternalRaised, Instance: instance, Name: "turnstile.schedule.control", Data: data, ID: "backfill"})
		})
	}
	for i, op := range s.asked {
		data, _ := json.Marshal(map[string]string{"op": op, "id": fmt.Sprint(i), "note": "because"})
		after := time.Duration(w.Choices.IntN(w.Choices.At(choice.OfClient, op), 4*3600)) * time.Second
		w.Clock.AfterFunc(after, func() {
			w.SendItem(wire.Item{Kind: wire.ExternalRaised, Instance: instance, Name: "turnstile.schedule.control", Data: data, ID: fmt.Sprintf("%s-%d", op, i)})
		})
	}
}

// Created implements scenario: two days after the last scheduled time, or after its own start if
// that is later, the schedule is cancelled. A cancel that overtakes its start has no effect.
func (s *scheduled) Created(w *world.World, instance, name string) {
	if name != coordination.Schedules || s.created {
		return
	}
	s.created = true
	w.Clock.AfterFunc(max(s.definition.End.Sub(w.Clock.Now()), 0)+48*time.Hour, func() {
		w.SendSurely(wire.Item{Kind: wire.CancelInstance, Instance: instance, ID: "over"})
	})
}

// backfill is a client's request to a schedule.
type backfill struct {
	Op    string      `json:"op"`
	ID    string      `json:"id"`
	Times []time.Time `json:"times"`
}

func (s *scheduled) Landed(*world.World, *world.Process, *ledger.Recorded, *store.Turn) {}
func (s *scheduled) Marked(*world.World, *store.Record)                                 {}
func (s *scheduled) Program(string) *program.Program                                    { return nil }
func (s *scheduled) IsRandom() bool                                                     { return false }

// Purge implements scenario: the outcome of a schedule must stay.
func (s *scheduled) Purge(*world.World) {}

// Check accounts for all scheduled times: each was started, was missed for a reason, or waits.
func (s *scheduled) Check(w *world.World) {
	if err := s.judge(w); err != nil {
		w.Violate("outcome", "the schedule: %v", err)
	}
}

func (s *scheduled) judge(w *world.World) error {
	r, err := w.Describe(coordination.ScheduleID(s.definition.Name))
	if errors.Is(err, store.ErrNotFound) {
		return nil // Its start was not sent.
	}
	if err != nil {
		return err
	}
	if r.Failure != nil && r.Failure.Kind == history.FailureTooLarge {
		return nil // Commits are small in this world.
	}
	var state schedule.State
	if err := json.Unmarshal(history.StateNamed(r.States, history.ListedState), &state); err != nil {
		return fmt.Errorf("it shows %q: %w", r.States, err)
	}
	for _, run := range state.Recent {
		if run.Outcome != schedule.OutcomeCompleted {
			continue // The schedule was cancelled in that turn, or the queue rejected the start.
		}
		if _, err := w.Describe(run.Instance); err != nil {
			return fmt.Errorf("the instance of the run at %s: %w", run.ScheduledAt, err)
		}
	}
	if err := s.judgeHistory(w, &state); err != nil {
		return err
	}
	if len(state.Buffered)+len(state.Backfilling) > 0 && len(state.Running) == 0 && !state.Paused {
		return fmt.Errorf("the runs at %v and %v wait, and nothing runs", state.Buffered, state.Backfilling)
	}
	if len(s.asked) > 0 || s.backfills {
		return nil
	}
	passed := 0
	for tick := s.definition.StartAt; !tick.After(s.definition.End) && (state.Next.IsZero() || tick.Before(state.Next)); tick = tick.Add(s.definition.Every) {
		if tick.After(state.Since) {
			passed++
		}
	}
	if n := state.Started + state.MissedRuns + len(state.Buffered); n != passed {
		return fmt.Errorf("%d scheduled times have passed; %d were started, %d missed, %d wait: %+v", passed, state.Started, state.MissedRuns, len(state.Buffered), state)
	}
	return nil
}
