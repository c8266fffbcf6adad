package check

import (
	"cmp"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Acknowledged is I-07: a message is deleted from a queue only if its effect is accounted for.
func (w *checker) Acknowledged(inv *world.Invocation, m world.Delivered) {
	p, startedAt := inv.P, inv.Started
	w.Reached("I-07")
	// If one of two duplicate invocations has accounted for a message, the other one may acknowledge it
	// too.
	defer note(&w.reach.settled, m.ID, true)
	stored, err := w.Item(m.Body)
	if err != nil && w.reach.noise[m.Body] {
		return // It is a dead letter with its reason.
	}
	if err != nil {
		w.Violate("I-07", "%s acknowledged %s, which cannot be parsed: %v", p.Name, m.ID, err)
		return
	}
	if w.Discarded[m.Body] || w.reach.noise[m.Body] && w.IsOver(stored) {
		return // It is or was a dead letter with its reason.
	}
	if world.IsTooOld(stored) || (stored.SourceEventID > 0 || stored.ScheduledAtMS > 0) && w.ByForger(stored) {
		return // A forged message has no effect; another check verifies that it is not recorded.
	}
	item := w.asAttempt(stored.WithID(m.ID))
	if item.Kind == wire.StartOrchestration {
		if x := w.Ledger.Executions[ledger.At(item.Instance, w.Ledger.Last[item.Instance])]; x != nil && (m.ReceiveCount == 1 || x.Events[0].Start.StartID != item.ID) {
			w.Reached("M-06")
		}
	}
	if item.Kind == wire.InstanceEvent {
		w.checkPublished(inv, m, &item)
		return
	}
	if m.From == w.Delay || m.From == w.ActivityDead {
		w.checkPassedOn(inv, m, &item)
		return
	}
	w.checkHasStarted(inv, &item)
	w.checkTried(inv, &item)
	if n := item.TargetExecution(); n > 0 && n <= w.Ledger.Hidden[item.Target()] {
		return // The instance that it completes was purged.
	}
	born, ok := w.Ledger.Born[item.Target()]
	if ok && born >= startedAt && (item.Kind == wire.CancelInstance || item.Kind == wire.TerminateInstance || suspends(&item) || item.Token == world.ForgedToken) {
		return // It found no instance.
	}
	if ok && born >= startedAt && (w.Ledger.First(item.Target()) > 1 || w.continues(item.Target())) {
		return // It found the previous instance, or the previous run, which has ended.
	}
	for n := w.Ledger.Last[item.Target()]; n > 0; n-- {
		if k := w.taken[ledger.At(item.Target(), n)]; k != nil && k.at >= startedAt {
			return // It found the previous execution, which has ended.
		}
	}
	first := int64(1)
	if ok && born < startedAt && w.reach.first[m.ID] >= born && !w.stoodBefore(inv, item.Target(), m.ID, w.Ledger.First(item.Target())) {
		// It found this instance; a fact that an earlier instance of this id recorded does not count. It
		// does count if a copy of the start of this instance is behind it in the queue, because the
		// message may be for the previous run.
		first = w.Ledger.First(item.Target())
	}
	if !w.accounted(&item, first) && !w.queued(&item) && !w.reach.settled[m.ID] {
		w.Violate("I-07", "%s acknowledged %s: %s, which is neither recorded, nor harmless, nor queued", p.Name, m.ID, world.BodyText(m.Body))
	}
}

// continues reports whether a redrive has started the last execution of an instance, or one that has
// continued as new since.
func (w *checker) continues(instance string) bool {
	for n := w.Ledger.Before(instance, w.Ledger.Last[instance]); n > 0; n = w.Ledger.Before(instance, n) {
		before := w.Ledger.Executions[ledger.At(instance, n)]
		if before == nil || before.End() == nil {
			return false
		}
		if before.End().Kind != history.OrchestrationContinuedAsNew {
			return true
		}
	}
	return false
}

// checkPassedOn is I-07 for a message of a standard queue, which decides nothing itself. The invocation
// that acknowledges it has forwarded it: to the FIFO queue, to the delay queue again, to the activity
// queue if it is an attempt, or to a dead-letter queue.
func (w *checker) checkPassedOn(inv *world.Invocation, m world.Delivered, item *wire.Item) {
	for _, body := range w.of(inv).sent {
		if other, err := w.Item(body); err == nil {
			if id := other.WithID(m.ID); sameFact(item, &id) {
				return
			}
		}
	}
	w.Violate("I-07", "%s acknowledged %s of %s, but has not forwarded it: %s", inv.P.Name, m.ID, m.From.Name, world.BodyText(m.Body))
}

// asAttempt converts the message that an attempt went silent into the attempt that follows it.
func (w *checker) asAttempt(i wire.Item) wire.Item {
	if i.Kind != wire.ActivityFailed || i.Details == nil || i.Details.Kind != history.FailureInterrupted {
		return i
	}
	next := wire.Item{Kind: wire.ActivityExecute, Instance: i.Instance, ExecutionID: i.ExecutionID, SchedulingEventID: i.SourceEventID, Attempt: i.Details.Attempt + 1}
	if x := w.Ledger.Executions[ledger.At(i.Instance, i.ExecutionID)]; x != nil && i.SourceEventID <= int64(len(x.Events)) {
		next.Retry = x.Events[i.SourceEventID-1].Retry
	}
	return next
}

// accounted reports whether the fact of an item is in a history, from an execution on, or need not be.
func (w *checker) accounted(item *wire.Item, first int64) bool {
	target := item.Target()
	last := w.Ledger.Last[target]
	current := w.Ledger.Executions[ledger.At(target, last)]
	if item.ReplyTo != "" && w.updates.replied[item.ID] {
		return true // The instance that sent the update knows that it was refused.
	}
	if current == nil {
		// Nothing of the instance is stored. A completion cannot be meant for an instance that never
		// existed; a cancel or a wake may be.
		if item.Kind == wire.StartOrchestration {
			return w.forbidden(item)
		}
		return item.Kind == wire.CancelInstance || item.Kind == wire.TerminateInstance || suspends(item) || item.Kind == wire.RetryActivity || item.Kind == wire.FireTimer || item.Kind == wire.Wake || item.Kind == wire.PurgeInstance || item.Kind == wire.Sweep
	}
	switch item.Kind {
	case wire.StartOrchestration, wire.Wake, wire.PurgeInstance, wire.ActivityHeartbeat, wire.RetryActivity:
		return true
	case wire.ActivityCompleted, wire.ActivityFailed, wire.TimerFired, wire.FireTimer, wire.SubOrchCompleted, wire.SubOrchFailed, wire.ActivityExecute, wire.ActivityPending:
		source := item.SourceEventID
		if item.Kind == wire.ActivityExecute {
			source = item.SchedulingEventID
		}
		x := w.Ledger.Executions[ledger.At(target, item.TargetExecution())]
		handed := item.Kind == wire.ActivityExecute && w.Ledger.Outside.Handed[store.ActivityKey{Instance: target, ExecutionID: item.ExecutionID, EventID: source}]
		if handed && !limited(item.Retry) {
			return true // A client has its token, and nothing else has to happen.
		}
		if item.Kind == wire.FireTimer && w.Faults[fault.Torn] > 0 {
			return true // It may have found no instance, concurrently with the commit that starts it.
		}
		// A cancelled operation needs no time limit either.
		return x != nil && (x.Completed[source] != 0 || x.End() != nil || w.Ledger.Unread[target] == last || (handed || item.Kind == wire.ActivityPending) && x.Stopped[source])
	case wire.ExternalRaised, wire.SuspendInstance, wire.ResumeInstance:
		if suspends(item) && item.SchedulingEventID > 0 && (item.ExecutionID > 0 && item.ExecutionID < last || isFollowed(item, current)) {
			return true
		}
		for n := first; n <= last; n++ {
			if x := w.Ledger.Executions[ledger.At(target, n)]; x != nil && x.Senders[ledger.SenderOf(item)] {
				return true
			}
		}
		// A repeat of a start restarts the instance if it is not among its last 32 starts. The update is then
		// that of the earlier run.
		decided := w.updates.decided[store.AnswerKey{Instance: target, StartID: current.Events[0].Start.StartID, ID: item.ID}]
		return len(decided) > 0 || w.Ledger.Ended(target)
	case wire.CancelInstance, wire.TerminateInstance:
		if p := item.Parent; p != nil {
			own := current.Events[0].Start.Parent
			if own != nil && w.isRedrivenLater(item, own, current) {
				return false
			}
			if own == nil || own.Instance != p.Instance || own.EventID != p.EventID || own.ExecutionID != p.ExecutionID && !w.carriedOn(item, own, current) {
				return true
			}
		}
		if w.Ledger.Ended(target) || item.ExecutionID > 0 && item.ExecutionID < last {
			return true
		}
		for n := first; n <= last && item.Kind == wire.CancelInstance; n++ {
			if x := w.Ledger.Executions[ledger.At(target, n)]; x != nil && x.Cancelled {
				return true
			}
		}
	}
	return false
}

// carriedOn reports whether a message that ends a child comes from a redriven parent whose previous
// execution has started that child, and which waits for it by now: for so long that every process must
// have seen it.
func (w *checker) carriedOn(item *wire.Item, own *history.Parent, child *ledger.Recorded) bool {
	p := item.Parent
	if item.Origin == nil || own.ExecutionID < item.Origin.ExecutionID || own.ExecutionID > p.ExecutionID {
		return false
	}
	if item.Origin.EventID > 0 {
		return true // No start will attach the parent to it.
	}
	if e := attachedTo(child, p); e != nil && w.Clock.Now().Sub(time.UnixMilli(e.AtMS)) > mostApart+time.Minute {
		w.Reached("a child that a redriven parent ends")
		return true
	}
	return false
}

// attachedTo returns the event that attached a parent to a child; nil for none.
func attachedTo(child *ledger.Recorded, p *wire.Parent) *history.Event {
	for i := range child.Events {
		e := &child.Events[i]
		if e.Kind != history.ParentAttached || e.Start.Parent == nil {
			continue
		}
		if own := e.Start.Parent; own.Instance == p.Instance && own.ExecutionID == p.ExecutionID && own.EventID == p.EventID {
			return e
		}
	}
	return nil
}

// isRedrivenLater reports whether a message that ends an ended child is ahead of the start with which its
// redriven parent makes it continue: that start is a dead letter because of its receive count, or was
// requeued.
func (w *checker) isRedrivenLater(item *wire.Item, own *history.Parent, child *ledger.Recorded) bool {
	p := item.Parent
	if w.Ledger.Hidden[item.Target()] == w.Ledger.Last[item.Target()] {
		return false // It was purged.
	}
	if item.Origin == nil || item.Origin.EventID > 0 || child.End() == nil || own.Instance != p.Instance || own.ExecutionID >= p.ExecutionID {
		return false // It is no child of a redriven parent, or waits for no start.
	}
	if attachedTo(child, p) != nil {
		return false // The start was processed, and this is another copy of the message.
	}
	parent := w.Ledger.Executions[ledger.At(p.Instance, p.ExecutionID)]
	if parent == nil || parent.Completed[p.EventID] != 0 {
		return false // The parent was notified that the start is refused.
	}
	window := cmp.Or(w.Settings.Messages.EarlyWindow, 15*time.Minute) - mostApart
	if w.Clock.Now().Sub(time.UnixMilli(parent.Events[len(parent.Events)-1].AtMS)) > window {
		return false // The message may have been requeued for long enough.
	}
	starts := func(body string) bool {
		other, err := w.Item(body)
		return err == nil && other.OnConflict.Redrives() && other.Target() == item.Target() && other.Parent != nil &&
			other.Parent.Instance == p.Instance && other.Parent.ExecutionID == p.ExecutionID && other.Parent.EventID == p.EventID
	}
	later := w.DeadFIFO.Queue.Any(starts) || w.Delay.Queue.Any(starts)
	if later {
		w.Reached("what ends a child is ahead of its redrive")
	}
	return later
}

// queued reports whether another message has the same fact, or forwards it.
func (w *checker) queued(item *wire.Item) bool {
	says := func(body string) bool {
		other, err := w.Item(body)
		return err == nil && sameFact(item, other)
	}
	for _, q := range append(slices.Clone(w.Sources), w.DeadFIFO, w.DeadStandard) {
		if q.Queue.Any(says) {
			return true
		}
	}
	return slices.ContainsFunc(w.Firing, says) || slices.ContainsFunc(w.Timer.Pending(), func(s timer.Schedule) bool { return says(s.Body) })
}

func sameFact(a, b *wire.Item) bool {
	if a.Target() != b.Target() || a.TargetExecution() != b.TargetExecution() {
		return false
	}
	if a.Kind == wire.ActivityExecute || a.Kind == wire.ActivityPending {
		source := max(a.SchedulingEventID, a.SourceEventID)
		switch b.Kind {
		case wire.ActivityExecute:
			return b.SchedulingEventID == source && b.Attempt >= a.Attempt
		case wire.ActivityPending:
			return b.SourceEventID == source && b.Attempt >= a.Attempt
		case wire.ActivityCompleted, wire.ActivityFailed:
			return b.SourceEventID == source
		}
		return false
	}
	return a.Kind == b.Kind && a.SourceEventID == b.SourceEventID && a.ID == b.ID && a.Name == b.Name
}

// limited reports whether a pending activity has a time limit that a process has to watch.
func limited(r *history.Retry) bool {
	return r != nil && (r.TotalTimeoutMS > 0 || r.HeartbeatTimeoutMS > 0)
}

// hasSent records the body of a message that is in its queue.
func (w *checker) hasSent(inv *world.Invocation, body string) {
	if slices.ContainsFunc(inv.Batch, func(m world.Delivered) bool {
		return m.Source == platform.SourceDelay || m.Source == platform.SourceActivityDead
	}) {
		w.of(inv).sent = append(w.of(inv).sent, body)
	}
}
