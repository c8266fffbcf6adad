package deciding

import (
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// draft is what one commit is going to hold.
type draft struct {
	// Turn is what the runs came to whose events it has.
	engine.Turn
	// messaged: it begins with an arrival from a message.
	messaged bool
	// parked: its last arrivals are recorded without running the code.
	parked bool
	// inline: it holds results of inline activities.
	inline bool
	leaves leaves
}

// leaves is what a draft leaves to do, besides what its run says.
type leaves uint8

const (
	// ran: the code went on with all that the draft has.
	ran leaves = iota
	// recorded: its arrivals were only recorded yet.
	recorded
	// short: this invocation has no time left to go on.
	short
)

// newDraft begins one with what a run gave.
func newDraft(out engine.Turn) *draft {
	return &draft{
		Turn: out, parked: out.Parked && len(out.Events) > 0,
		messaged: len(out.Events) > 0 && out.Events[0].Kind.Arrival(),
	}
}

// append adds the events that a further run appended.
func (d *draft) append(out *engine.Turn) {
	if len(out.Events) == 0 {
		return
	}
	d.Events = append(d.Events[:len(d.Events):len(d.Events)], out.Events...)
	d.parked, d.Suspended, d.SuspendedFor, d.SuspendedUntilMS = out.Parked, out.Suspended, out.SuspendedFor, out.SuspendedUntilMS
	if out.State == engine.Suspended {
		d.State = out.State
	}
}

// goOn adds a further run, in which the code went on.
func (d *draft) goOn(out *engine.Turn) {
	d.append(out)
	both := *out
	both.Events, both.Cancelled, both.Logs = d.Events, append(d.Cancelled, out.Cancelled...), append(d.Logs, out.Logs...)
	both.Reasons = engine.ReasonsBoth(d.Reasons, out.Reasons)
	both.SetBefore(&d.Turn)
	d.Turn = both
}

// dispatches reports whether committing it sends anything.
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
			if e.Op == history.OpRaiseEvent || e.Op == history.OpCancelInstance {
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
