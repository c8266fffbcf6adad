package check

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// aboutToCommit checks that a writer has seen all events before those that it appends.
func (w *checker) aboutToCommit(p *world.Process, c *store.Commit) {
	if p.Dead {
		return
	}
	for i := range c.Turns {
		t := &c.Turns[i]
		if len(t.Events) == 0 {
			continue // The store refuses it.
		}
		if seen := p.Seen[ledger.At(t.Instance, t.ExecutionID)]; t.First() > seen+1 {
			w.Violate("blind append", "%s appends at %d of %s/%d, but has seen only %d events", p.Name, t.First(), t.Instance, t.ExecutionID, seen)
		}
	}
}

// committed records a commit that has landed, and checks what can be checked at once: I-01,
// I-02, I-06.
func (w *checker) committed(x0 *world.Write) {
	p, c, encoded, change := x0.By, x0.Commit, x0.Encoded, changes(x0)
	for i := range c.Turns {
		t := &c.Turns[i]
		key := ledger.At(t.Instance, t.ExecutionID)
		x := w.Ledger.Executions[key]
		var taken *takenOver
		if x == nil {
			x = &ledger.Recorded{Encoded: w.Encoding.World != nil, Completed: map[int64]int64{}}
			w.Ledger.Executions[key] = x
			if last := w.Ledger.Last[t.Instance]; last < t.ExecutionID && w.Ledger.Hidden[t.Instance] >= t.ExecutionID {
				w.Ledger.Hidden[t.Instance] = last // The same turn has forbidden another start, which had no execution.
			}
			w.Ledger.Last[t.Instance] = max(w.Ledger.Last[t.Instance], t.ExecutionID)
			if i == 0 && t.First() == 1 {
				w.checkRestarts(p, t)
				if taken = w.checkRedriven(p, t); taken == nil {
					w.Ledger.Started[t.Instance] = t.ExecutionID
					taken = w.checkForked(x0.In, x, t)
				}
				w.checkInlineKeys(x0.In, t)
			}
			x.Run = w.Ledger.First(t.Instance)
		}
		if t.First() <= int64(len(x.Events)) {
			// Its own append, made before.
			for j := range t.Events {
				at := int(t.First()) - 1 + j
				if !x.Holds(at, &encoded.Turns[i].Events[j]) {
					w.Violate("own append", "%s got the response that its append at %d of %s/%d is stored, but something else is", p.Name, t.First(), t.Instance, t.ExecutionID)
				}
			}
			continue
		}
		own := taken.rest(t)
		w.checkTurn(p, x, t, &encoded.Turns[i], taken)
		w.checkForged(t)
		if i == 0 { // The next execution starts with what the previous one has not taken.
			w.checkStarts(t)
			w.checkSender(p, t)
		}
		x.Cancel(t)
		w.checkBlame(own)
		w.checkInterrupted(x0.In, x, own)
		if t.Parked {
			x.Parked = append(x.Parked, t.First())
		}
		w.checkScopes(x, t)
		w.checkLosers(x, own)
		w.checkAnswersBefore(p, x, t)
		if x.End() != nil {
			note(&w.endedAt, t.Instance, w.Steps)
		}
		w.checkOneRun(p, t, w.Ledger.First(t.Instance))
		w.expectsTurn(own)
		w.Scenario.Landed(w.World, p, x, t)
		w.reachTurn(p, x, t)
		if i == 0 {
			w.Commits++
			change.landed(w, c.Turns)
		} else {
			w.checkCarried(w.Ledger.Executions[ledger.At(t.Instance, t.ExecutionID-1)], &c.Turns[0], t)
		}
		if t.First() == 1 && t.ExecutionID == w.Ledger.First(t.Instance) {
			w.Ledger.Born[t.Instance], w.Ledger.Maker[t.Instance] = w.Steps, p.Name
			w.Scenario.Created(w.World, t.Instance, t.Events[0].Name)
		} else if taken != nil {
			w.Scenario.Created(w.World, t.Instance, t.Events[0].Name) // The message that it waits for arrives again.
		}
		w.checkSentOrder(own)
		if i > 0 && i == len(c.Turns)-1 {
			w.checkStatusContinues(t)
		}
		if i == len(c.Turns)-1 {
			w.checkStatusNow(p, x, t)
			w.checkNumbers(x, t)
			w.checkQuery(p, x, t)
			w.checkWarm(x, t)
		}
	}
	w.checkOrder(x0)
	w.checkRecord(c.Turns[0].Instance)
}

// checkTurn checks I-01 and I-02 for the appended events, and records them: earlier events
// were checked before. stored is the turn as encoded.
func (w *checker) checkTurn(p *world.Process, x *ledger.Recorded, t, stored *store.Turn, taken *takenOver) {
	violate := func(rule, format string, args ...any) {
		w.Violate(rule, "%s/%d by %s: %s", t.Instance, t.ExecutionID, p.Name, fmt.Sprintf(format, args...))
	}
	w.Reached("I-01")
	if end := x.End(); end != nil {
		violate("I-01", "appended behind %s", end.Kind)
	}
	for i := range t.Events {
		e := &t.Events[i]
		if want := int64(len(x.Events)) + 1; e.EventID != want {
			violate("I-01", "event id %d is where %d must be", e.EventID, want)
			return
		}
		if (e.EventID == 1) != (e.Kind == history.OrchestrationStarted) {
			violate("I-01", "%s is at %d", e.Kind, e.EventID)
		}
		if e.WithPrevious && (e.EventID == 1 || !e.Kind.Arrival() || !x.Events[e.EventID-2].Kind.Arrival()) {
			violate("rule 2", "%s at %d is marked as recorded with the previous event, but one of the two is not an arrival", e.Kind, e.EventID)
		}
		if e.Kind.Terminal() && i != len(t.Events)-1 {
			violate("I-01", "%s at %d is not the last", e.Kind, e.EventID)
		}
		if want := completes(e.Kind); want != history.KindUnknown {
			w.Reached("I-02")
			switch s := e.SourceEventID; {
			case s < 1 || s >= e.EventID:
				violate("I-02", "%s at %d names %d", e.Kind, e.EventID, s)
			case x.Events[s-1].Kind != want:
				violate("I-02", "%s at %d names a %s", e.Kind, e.EventID, x.Events[s-1].Kind)
			case x.Completed[s] != 0:
				violate("I-02", "%s at %d completes %d a second time", e.Kind, e.EventID, s)
			case e.Kind == history.TimerFired && !taken.has(e):
				w.checkFired(x, e, violate)
			}
		}
		w.checkUpdate(p, x, t, e, taken)
		if taken.has(e) {
			x.Add(e, &stored.Events[i])
			continue
		}
		if e.Kind == history.ExternalEvent && e.SenderID != "" && x.Senders[e.SenderID] {
			violate("E-04", "event %q of sender id %s is recorded twice", e.Name, e.SenderID)
		}
		if e.Kind == history.ParentAttached && x.Senders["start:"+e.Start.StartID] {
			violate("P-03", "the parent of start %s is attached twice", e.Start.StartID)
		}
		if e.Kind.Arrival() && e.Kind != history.OrchestrationStarted && e.Kind != history.OrchestrationRedriven && !ledger.Agrees(e) && x.Inline > 0 && !x.Cancelled && !t.Parked &&
			x.Suspended == nil && (e.SourceEventID == 0 || !x.Events[e.SourceEventID-1].Inline) {
			violate("R-11", "%s at %d was processed while the result of an inline activity was pending", e.Kind, e.EventID)
		}
		w.checkSuspended(p, x, t, e)
		w.checkRejection(x, t, e)
		w.checkCancelled(t, e)
		w.checkLimit(p, x, t, e)
		w.checkSize(x, t, e)
		w.checkTimely(p, x, t, e)
		w.checkFormats(p, x, t, e)
		x.Add(e, &stored.Events[i])
	}
}

// completes returns the kind of scheduling event that a completion is for. It is duplicated
// here because the checker shares no code with what it checks.
func completes(k history.Kind) history.Kind {
	switch k {
	case history.ActivityCompleted, history.ActivityFailed:
		return history.ActivityScheduled
	case history.TimerFired:
		return history.TimerCreated
	case history.SubOrchestrationCompleted, history.SubOrchestrationFailed:
		return history.SubOrchestrationScheduled
	}
	return history.KindUnknown
}

// checkRecord is I-06.
func (w *checker) checkRecord(instance string) {
	if w.Ledger.Hidden[instance] >= w.Ledger.Last[instance] {
		return // It is purged.
	}
	r, err := w.Describe(instance)
	if err != nil {
		w.Violate("I-06", "%s has a history but no record: %v", instance, err)
		return
	}
	w.Reached("I-06")
	w.marked(&r)
	w.checkMark(&r)
	last := w.Ledger.Last[instance]
	x := w.Ledger.Executions[ledger.At(instance, last)]
	if r.ExecutionID != last {
		w.Violate("I-06", "the record of %s is at execution %d, its history at %d", instance, r.ExecutionID, last)
		return
	}
	w.checkReason(&r, x)
	want := "running"
	end := x.End()
	if end != nil {
		switch {
		case end.Kind == history.OrchestrationCompleted:
			want = "completed"
			if !bytes.Equal(end.Payload, r.Output) {
				w.Violate("I-06", "the record of %s has output %s, its history %s", instance, r.Output, end.Payload)
			}
		case end.Kind == history.OrchestrationContinuedAsNew:
			want = "running"
		case end.Forced == history.ForcedByOperator || end.Failure != nil && end.Failure.Kind == history.FailureTerminated:
			want = "terminated"
		case end.Failure != nil && end.Failure.Kind == history.FailureCancelled:
			want = "cancelled"
			if !slices.ContainsFunc(x.Events, func(e history.Event) bool { return e.Kind == history.OrchestrationCancelRequested }) {
				w.Violate("K-01", "%s ended as cancelled, and nothing cancelled it: %s", instance, end.Failure.Message)
			}
		default:
			want = "failed"
		}
	}
	if w.checkSuspension(&r, x); want == "running" && x.Suspended != nil {
		want = "suspended"
		if queuedFor(x) != "" {
			want = "queued"
		} else if x.Suspended.EventID == 2 && x.Until > 0 {
			want = "scheduled"
		}
	}
	got := string(r.Status)
	if x.Suspended != nil && r.Status == store.StatusCorrupt {
		got = want
	}
	if want == "running" && (r.Status == store.StatusStuck || r.Status == store.StatusCorrupt) {
		got = want
	}
	if got != want && !(got == "terminated" && w.Ledger.Unread[instance] == last) {
		w.Violate("I-06", "the record of %s has %q, its history %q", instance, r.Status, want)
	}
	if r.Status == store.StatusCorrupt && !w.WasDamaged(instance) {
		w.Violate("R-08", "%s is corrupt: %s", instance, r.Problem.Message)
	}
}

// checkRead is I-05: what is read is what landed.
func (w *checker) checkRead(turns []store.Turn) {
	w.Reached("I-05")
	for i := range turns {
		t := &turns[i]
		x := w.Ledger.Executions[ledger.At(t.Instance, t.ExecutionID)]
		if x == nil {
			w.Violate("I-05", "%s/%d was read, but never written", t.Instance, t.ExecutionID)
			return
		}
		for j := range t.Events {
			id := t.Events[j].EventID
			if !x.Holds(int(id)-1, &t.Events[j]) {
				w.Violate("I-05", "event %d of %s/%d has changed", id, t.Instance, t.ExecutionID)
				return
			}
		}
	}
}
