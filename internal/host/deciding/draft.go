package deciding

import (
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/redriving"
)

// draft is the content of the next commit, or of the last one.
type draft struct {
	// Turn is the result of the runs whose events the draft has.
	engine.Turn
	leaves leaves
	// calls are the inline activities whose results the draft has.
	calls []*engine.InlineCall
}

// leaves is the work that remains after a draft, in addition to the work that its run reports.
type leaves uint8

const (
	// ran means that the code has processed everything in the draft.
	ran leaves = iota
	// recorded means that the draft's arrivals have only been recorded so far.
	recorded
	// parked means that the draft's arrivals are recorded, and this turn runs no code on them.
	parked
	// short means that this invocation has no time left to continue.
	short
)

// newDraft returns a draft with the result of a run, and with the cancelled operations that the
// previous draft still owes.
func newDraft(out engine.Turn, before *draft) *draft {
	if owed := before.owed(); len(owed.Cancelled) > 0 {
		out.Cancelled = append(owed.Cancelled, out.Cancelled...)
		out.Reasons = engine.ReasonsBoth(owed.Reasons, out.Reasons)
	}
	return &draft{Turn: out}
}

// owed has the operations that were cancelled by runs which recorded no event. The next commit
// stops them, because only stored cancellations can be sent again.
func (d *draft) owed() (o engine.Turn) {
	if d != nil && len(d.Events) == 0 {
		o.Cancelled, o.Reasons = d.Cancelled, d.Reasons
	}
	return o
}

// append adds the events of a further run.
func (d *draft) append(out *engine.Turn) {
	if len(out.Events) == 0 {
		return
	}
	d.Events = append(d.Events[:len(d.Events):len(d.Events)], out.Events...)
	d.Parked, d.Suspended, d.SuspendedFor, d.SuspendedUntilMS = out.Parked, out.Suspended, out.SuspendedFor, out.SuspendedUntilMS
	if out.State == engine.Suspended {
		d.State = out.State
	}
}

// proceed adds a further run in which the code continued.
func (d *draft) proceed(out *engine.Turn) {
	d.append(out)
	both := *out
	both.Events, both.Parked = d.Events, d.Parked
	both.Cancelled, both.Logs = append(d.Cancelled, out.Cancelled...), append(d.Logs, out.Logs...)
	both.Reasons = engine.ReasonsBoth(d.Reasons, out.Reasons)
	both.SetBefore(&d.Turn)
	d.Turn = both
}

// messaged reports whether the draft starts with an arrival from a message.
func (d *draft) messaged() bool {
	return len(d.Events) > 0 && len(d.calls) == 0 && d.Events[0].Kind.Arrival() && !redriving.Releases(&d.Events[0])
}

// hasRoom reports whether an inline activity may run before the draft is committed: if the draft
// has no events yet, or if all activities that share the commit allow one more result and the
// commit sends nothing.
func (d *draft) hasRoom() bool {
	if len(d.Events) == 0 {
		return true
	}
	for _, c := range d.calls {
		if batchOf(c) <= len(d.calls) {
			return false
		}
	}
	return len(d.calls) > 0 && batchOf(&d.Inline[0]) > len(d.calls) && !d.dispatches()
}

// batchOf returns the number of results that may share a commit, according to this inline activity.
func batchOf(call *engine.InlineCall) int {
	if call.Retry == nil {
		return 0
	}
	return call.Retry.Batch
}

// dispatches reports whether committing the draft sends anything.
func (d *draft) dispatches() bool {
	if len(d.Cancelled) > 0 {
		return true
	}
	for i := range d.Events {
		switch e := &d.Events[i]; e.Kind {
		case history.ActivityScheduled:
			if !e.Inline {
				return true
			}
		case history.TimerCreated, history.SubOrchestrationScheduled, history.OrchestrationChained:
			return true
		case history.SystemCall:
			switch e.Op {
			case history.OpRaiseEvent, history.OpCancelInstance, history.OpAcceptUpdate, history.OpAnswerUpdate:
				return true
			}
		case history.ExternalRejected:
			if _, update := e.Update(); update {
				return true
			}
		}
	}
	return false
}

func stateWord(s engine.State) string {
	switch s {
	case engine.Waiting:
		return "waiting"
	case engine.RunInline:
		return "inline"
	case engine.Ended:
		return "ended"
	case engine.Stuck:
		return "stuck"
	case engine.Suspended:
		return "suspended"
	}
	return "not started"
}
