package check

import (
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// limitLate is how late the time limit of a pending activity may end it without faults: as late
// as a timer.
const limitLate = time.Minute

// limitCalm is how long after the faults have stopped a process that died may still hold the
// messages of its group.
const limitCalm = 2 * time.Minute

// limitOf returns when the time limit for all attempts of an activity ends; 0 for never. An
// activity that a redrive has copied counts as scheduled with the redrive.
func limitOf(x *ledger.Recorded, e *history.Event) int64 {
	if e.Retry == nil || e.Retry.TotalTimeoutMS == 0 {
		return 0
	}
	at := e.AtMS
	if s := x.Events[0].Start; s != nil && s.Origin != nil && e.EventID <= s.Origin.EventID && s.Origin.EventID < int64(len(x.Events)) {
		at = max(at, x.Events[s.Origin.EventID].AtMS)
	}
	return at + e.Retry.TotalTimeoutMS
}

// checkLimit is for a pending activity: its time limits end it, not early, and
// without faults not late. x does not have the completion yet.
func (w *checker) checkLimit(p *world.Process, x *ledger.Recorded, t *store.Turn, e *history.Event) {
	if completes(e.Kind) != history.ActivityScheduled || e.SourceEventID < 1 || e.SourceEventID > int64(len(x.Events)) {
		return
	}
	source := &x.Events[e.SourceEventID-1]
	key := store.ActivityKey{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: e.SourceEventID}
	if !w.Ledger.Outside.Handed[key] || w.taken[ledger.At(t.Instance, t.ExecutionID)].has(source) {
		return
	}
	violate := func(rule, what string, late int64) {
		w.Violate(rule, "%s records for pending activity %d of %s/%d that %s, %s after the limit", p.Name, key.EventID, key.Instance, key.ExecutionID, what, time.Duration(late)*time.Millisecond)
	}
	end := limitOf(x, source)
	if end > 0 {
		late := e.AtMS - end
		if e.Failure != nil && e.Failure.Kind == history.FailureTotalTimeout {
			w.Reached("A-13")
			// A worker's clock may be ahead.
			if late < 0 && w.Faults[fault.Skew] == 0 {
				violate("A-13", "its time limit has passed", late)
			}
		}
		said := w.trouble.pending[key]
		if w.quietSince(source) && !x.Stopped[source.EventID] && said > 0 && said <= end && late >= 0 {
			w.Reached("A-13, where nothing goes wrong")
			if late > limitLate.Milliseconds() {
				violate("A-13", "it ended", late)
			}
		}
	}
	if e.Failure != nil && e.Failure.Kind == history.FailureHeartbeatTimeout && p.Running != nil && !p.Dead {
		if beat := w.of(p.Running).beats[key]; !beat.IsZero() && e.AtMS < beat.UnixMilli()+source.Retry.HeartbeatTimeoutMS {
			violate("A-11", "it sent no heartbeat", e.AtMS-beat.UnixMilli()-source.Retry.HeartbeatTimeoutMS)
		}
	}
}

// checkTimely is T-01: a timer that is created after the faults have stopped fires at most a
// minute late, which is the precision of schedules.
func (w *checker) checkTimely(p *world.Process, x *ledger.Recorded, t *store.Turn, e *history.Event) {
	if e.Kind != history.TimerFired || e.SourceEventID < 1 || e.SourceEventID > int64(len(x.Events)) {
		return
	}
	source := &x.Events[e.SourceEventID-1]
	if k := w.taken[ledger.At(t.Instance, t.ExecutionID)]; k != nil && k.has(source) {
		return // It may have become due while the instance had ended.
	}
	if !w.quietSince(source) || p.Running != nil && slices.ContainsFunc(p.Running.Batch, func(m world.Delivered) bool { return m.ReceiveCount > 1 }) {
		return // It was behind a message that still waits because of earlier faults.
	}
	if w.trouble.again[wire.Group(t.Instance)] >= source.FireAtMS {
		return // It was behind such messages, more than one batch holds.
	}
	w.Reached("T-01, where nothing goes wrong")
	if late := time.Duration(e.AtMS-source.FireAtMS) * time.Millisecond; late > limitLate {
		w.Violate("T-01", "%s records timer %d of %s/%d as fired %s late", p.Name, e.SourceEventID, t.Instance, t.ExecutionID, late)
	}
}

// quietSince reports whether nothing delays an operation scheduled by this event any more. If
// each call takes time, messages pile up in front of the few processes of a run. If chains count
// as loops after a few messages, their messages wait by design.
func (w *checker) quietSince(source *history.Event) bool {
	return !w.Calmed.IsZero() && source.AtMS >= w.Calmed.Add(limitCalm).UnixMilli() && w.Faults[fault.Skew] == 0 && w.Settings.Loop.Depth == 0 && !w.CallsAreSlow()
}

// notePending records when an activity was reported as pending: before that, the process that
// makes its attempt may die, and no process watches its limit. When another attempt follows, its
// message may wait until a worker is free.
func (w *checker) notePending(body string) {
	if strings.Contains(body, string(wire.ActivityExecute)) {
		item, err := w.Item(body)
		if err == nil && item.Kind == wire.ActivityExecute {
			delete(w.trouble.pending, store.ActivityKey{Instance: item.Instance, ExecutionID: item.ExecutionID, EventID: item.SchedulingEventID})
		}
		return
	}
	if !strings.Contains(body, string(wire.ActivityPending)) {
		return
	}
	if item, err := w.Item(body); err == nil && item.Kind == wire.ActivityPending && item.NotBeforeMS == 0 {
		key := store.ActivityKey{Instance: item.Instance, ExecutionID: item.ExecutionID, EventID: item.SourceEventID}
		if _, said := w.trouble.pending[key]; !said {
			note(&w.trouble.pending, key, w.Clock.Now().UnixMilli())
		}
	}
}

// asksAgain is A-13: a message that checks a pending activity again does so at a time limit, and
// not once it is known to have ended. A message that a process has received may be requeued.
func (w *checker) asksAgain(p *world.Process, body string) {
	if p.Dead || p.Orchestrator == nil || p.Running == nil || !strings.Contains(body, string(wire.ActivityPending)) {
		return
	}
	item, err := w.Item(body)
	if err != nil || item.Kind != wire.ActivityPending || item.NotBeforeMS == 0 {
		return
	}
	at := ledger.At(item.Instance, item.ExecutionID)
	x := w.Ledger.Executions[at]
	if x == nil || item.SourceEventID > int64(len(x.Events)) || slices.ContainsFunc(p.Running.Batch, func(m world.Delivered) bool {
		was, err := w.Item(m.Body)
		return err == nil && was.Kind == wire.ActivityPending && was.NotBeforeMS == item.NotBeforeMS
	}) {
		return
	}
	w.Reached("A-13, a limit to come")
	violate := func(what string) {
		w.Violate("A-13", "%s checks pending activity %d of %s/%d again at %d, %s", p.Name, item.SourceEventID, item.Instance, item.ExecutionID, item.NotBeforeMS, what)
	}
	if done := x.Completed[item.SourceEventID]; done != 0 && done <= p.Seen[at] {
		violate("and has seen its completion")
	}
	source := &x.Events[item.SourceEventID-1]
	if w.taken[at].has(source) {
		return // Its time limit started again.
	}
	switch end := limitOf(x, source); {
	case source.Retry == nil || end == 0 && source.Retry.HeartbeatTimeoutMS == 0:
		violate("which has no time limit")
	case end > 0 && item.NotBeforeMS > end, source.Retry.HeartbeatTimeoutMS == 0 && item.NotBeforeMS != end:
		violate("although its time limit is at another time")
	}
}

// followsSilence is A-11 for another attempt of a pending activity: none follows while the
// process knows of a heartbeat within the timeout.
func (w *checker) followsSilence(p *world.Process, body string) {
	if p.Dead || p.Orchestrator == nil || p.Running == nil || !strings.Contains(body, string(wire.ActivityExecute)) {
		return
	}
	item, err := w.Item(body)
	if err != nil || item.Kind != wire.ActivityExecute || item.Attempt < 2 || item.Retry == nil || item.Retry.HeartbeatTimeoutMS == 0 || item.ID != "" {
		return // An id means that an operator requested it, who does not wait.
	}
	key := store.ActivityKey{Instance: item.Instance, ExecutionID: item.ExecutionID, EventID: item.SchedulingEventID}
	beat := w.of(p.Running).beats[key]
	if beat.IsZero() || !slices.ContainsFunc(p.Running.Batch, func(m world.Delivered) bool {
		was, err := w.Item(m.Body)
		return err == nil && was.Kind == wire.ActivityPending && was.SourceEventID == key.EventID && was.ExecutionID == key.ExecutionID && was.Attempt == item.Attempt-1
	}) {
		return
	}
	w.Reached("A-11, another attempt")
	early := beat.Add(time.Duration(item.Retry.HeartbeatTimeoutMS) * time.Millisecond).Sub(w.Clock.Now())
	if w.Faults[fault.Skew] > 0 {
		early -= mostApart
	}
	if early > 0 {
		w.Violate("A-11", "%s sends attempt %d of pending activity %d of %s/%d, as if the previous one had sent no heartbeat, %s before its heartbeat timeout",
			p.Name, item.Attempt, key.EventID, key.Instance, key.ExecutionID, early)
	}
}
