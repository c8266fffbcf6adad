package scenario

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/schedule"
)

// skewed is the largest difference between a clock of this world and the true time.
const skewed = 10 * time.Second

// found is what a schedule recorded of the scheduled times that were due when it woke up.
type found struct {
	Start  []time.Time
	Missed *struct {
		From, To time.Time
		Runs     int
	}
}

// judgeHistory checks the records of a schedule: which runs it has caught up; that each run starts
// the instance that is named after it; that instances do not overlap if the overlap policy forbids
// it; that the schedule ends them as the policy says; and that each run of a backfill starts or
// waits, whatever runs become due meanwhile.
func (s *scheduled) judgeHistory(w *world.World, state *schedule.State) error {
	instance := coordination.ScheduleID(s.definition.Name)
	var started []string // the ids of the runs that should start an instance
	// asked is the last request to the schedule when its timer fired: after "pause" and "delete" no
	// run starts. Code processes both in the order of their events.
	asked, whenFired := "", ""
	rests := func() bool { return asked == "pause" || asked == "delete" }
	begun := map[string]bool{}
	var backfilled []time.Time
	for n := w.Ledger.First(instance); n <= w.Ledger.Last[instance]; n++ {
		x := w.Ledger.Executions[ledger.At(instance, n)]
		if x == nil {
			continue
		}
		open := map[int64]string{}
		// mayStart is set if one of the incoming events that the schedule answers arrived while it
		// was not paused or deleted.
		mayStart := false
		for i := range x.Events {
			e := &x.Events[i]
			delete(open, e.SourceEventID)
			if e.Kind.Arrival() && i > 0 && !x.Events[i-1].Kind.Arrival() {
				mayStart = false
			}
			switch {
			case e.Kind == history.ExternalEvent && e.Name == "turnstile.schedule.control":
				var c backfill
				if err := json.Unmarshal(e.Payload, &c); err != nil {
					return fmt.Errorf("execution %d, event %d: %w", n, e.EventID, err)
				}
				for _, tick := range c.Times {
					backfilled = append(backfilled, tick)
					started = append(started, tickID(s.definition.Name, tick))
				}
				if c.Op != "trigger" && c.Op != "backfill" && asked != "delete" { // A deleted schedule starts nothing in this scenario.
					asked = c.Op
				}
				mayStart = mayStart || !rests()
			case e.Kind == history.TimerFired:
				whenFired = asked
				mayStart = mayStart || !rests()
			case e.Kind.Arrival():
				mayStart = mayStart || !rests()
			case e.Kind == history.SystemCall && e.Name == "due runs":
				if whenFired == "pause" || whenFired == "delete" {
					return fmt.Errorf("execution %d, event %d looks for due runs after a %s", n, e.EventID, whenFired)
				}
				var f found
				if err := json.Unmarshal(e.Payload, &f); err != nil {
					return fmt.Errorf("execution %d, event %d: %w", n, e.EventID, err)
				}
				if err := s.judgeCatchUp(&f, time.UnixMilli(e.AtMS)); err != nil {
					return fmt.Errorf("execution %d, event %d, recorded at %s: %w", n, e.EventID, time.UnixMilli(e.AtMS).UTC(), err)
				}
				for _, tick := range f.Start {
					started = append(started, tickID(s.definition.Name, tick))
				}
			case e.Kind == history.SystemCall && e.Op == history.OpCancelInstance:
				if terminates := e.Forced == history.ForcedByOperator; s.definition.Overlap != schedule.TerminateRunning && s.definition.Overlap != schedule.CancelRunning ||
					terminates != (s.definition.Overlap == schedule.TerminateRunning) {
					return fmt.Errorf("execution %d, event %d ends %s (terminates it: %t), with overlap %s", n, e.EventID, e.Instance, terminates, s.definition.Overlap)
				}
			case (e.Kind == history.SubOrchestrationScheduled || e.Kind == history.OrchestrationChained) && e.Name == job.Name():
				if slices.Contains(s.asked, "trigger") {
					begun[e.Instance] = true
					continue // It starts an instance of its own, independent of any other.
				}
				if !slices.Contains(started, e.Instance) {
					return fmt.Errorf("execution %d, event %d starts %s, which is not named after a run that may start: %q", n, e.EventID, e.Instance, started)
				}
				if !mayStart && !begun[e.Instance] {
					return fmt.Errorf("execution %d, event %d starts %s after a %s", n, e.EventID, e.Instance, asked)
				}
				begun[e.Instance] = true
				for id, other := range open {
					if s.definition.Overlap != schedule.Allow && other != e.Instance {
						return fmt.Errorf("execution %d, event %d starts %s while %s of event %d runs, with overlap %s", n, e.EventID, e.Instance, other, id, s.definition.Overlap)
					}
				}
				open[e.EventID] = e.Instance
			}
		}
	}
	for _, tick := range backfilled {
		if !begun[tickID(s.definition.Name, tick)] && !slices.ContainsFunc(state.Backfilling, tick.Equal) &&
			!slices.ContainsFunc(state.Buffered, tick.Equal) && !state.Deleted { // A run that already waits is not requested twice.
			return fmt.Errorf("the run at %s of a backfill neither started nor waits: %v", tick, state.Backfilling)
		}
	}
	return s.judgeStarted(w, started)
}

func tickID(name string, tick time.Time) string {
	return coordination.StartedPrefix(name) + tick.UTC().Format(time.RFC3339Nano)
}

// judgeStarted checks the started instances: nothing ends them except a run whose overlap policy
// says so, in particular not the end of the schedule or its next execution.
func (s *scheduled) judgeStarted(w *world.World, started []string) error {
	if s.definition.Overlap == schedule.CancelRunning || s.definition.Overlap == schedule.TerminateRunning {
		return nil
	}
	// A client ends the schedule, and with it the instances that it has started and waits for.
	own, ended := coordination.ScheduleID(s.definition.Name), int64(math.MaxInt64)
	for n := w.Ledger.First(own); n <= w.Ledger.Last[own]; n++ {
		if x := w.Ledger.Executions[ledger.At(own, n)]; x != nil {
			for i := range x.Events {
				if e := &x.Events[i]; e.Kind == history.OrchestrationCancelRequested || e.Forced == history.ForcedByOperator {
					ended = min(ended, e.AtMS)
				}
			}
		}
	}
	ended -= (2 * skewed).Milliseconds()
	for _, instance := range started {
		for n := w.Ledger.First(instance); n <= w.Ledger.Last[instance]; n++ {
			x := w.Ledger.Executions[ledger.At(instance, n)]
			if x == nil {
				continue
			}
			for i := range x.Events {
				if e := &x.Events[i]; (e.Kind == history.OrchestrationCancelRequested || e.Forced == history.ForcedByOperator) && e.AtMS < ended {
					return fmt.Errorf("%s/%d is ended by its event %d, with overlap %s: %s", instance, n, e.EventID, s.definition.Overlap, e.Reason)
				}
			}
		}
	}
	return nil
}

// judgeCatchUp checks the decisions on the scheduled times that were due at a time.
func (s *scheduled) judgeCatchUp(f *found, now time.Time) error {
	window := time.Hour
	late := func(tick time.Time) bool { return now.Sub(tick) > coordination.OnTime }
	lateOnes := 0
	for _, tick := range f.Start {
		switch {
		case tick.After(now):
			return fmt.Errorf("the run at %s is started early", tick)
		case !late(tick):
			continue
		}
		lateOnes++
		if s.definition.CatchUp == schedule.CatchUpNone || s.definition.CatchUp == schedule.CatchUpAll && now.Sub(tick) > window {
			return fmt.Errorf("the run at %s is caught up, with catch-up %s", tick, s.definition.CatchUp)
		}
	}
	if s.definition.CatchUp == schedule.CatchUpLast && (lateOnes > 1 || lateOnes == 1 && len(f.Start) > 1) {
		return fmt.Errorf("%v are caught up, with catch-up last", f.Start)
	}
	if f.Missed == nil {
		return nil
	}
	for tick, n := f.Missed.From, 0; !tick.After(f.Missed.To); tick, n = tick.Add(s.definition.Every), n+1 {
		switch {
		case !late(tick):
			return fmt.Errorf("the run at %s is on time, but missed", tick)
		case s.definition.CatchUp == schedule.CatchUpAll && now.Sub(tick) <= window:
			return fmt.Errorf("the run at %s is missed within the window, with catch-up all", tick)
		}
	}
	if s.definition.CatchUp == schedule.CatchUpLast && len(f.Start) == 0 {
		return fmt.Errorf("the runs from %s to %s are missed, and none is caught up, with catch-up last", f.Missed.From, f.Missed.To)
	}
	return nil
}
