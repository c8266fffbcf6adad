package deciding

import (
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/redriving"
)

// draft is the content of the next commit.
type draft struct {
	// Turn is the result of the runs whose events the draft has.
	engine.Turn
	// messaged: the draft starts with an arrival from a message.
	messaged bool
	// parked: its last arrivals are recorded without running the code.
	parked bool
	// inline: it holds results of inline activities.
	inline bool
	leaves leaves
}

// leaves says what remains to be done after a draft, in addition to what its
// run says.
type leaves uint8

const (
	// ran: the code has processed everything in the draft.
	ran leaves = iota
	// recorded: its arrivals have only been recorded so far.
	recorded
	// short: this invocation has no time left to continue.
	short
)

// newDraft returns a draft with the result of a run.
func newDraft(out engine.Turn) *draft {
	return &draft{
		Turn: out, parked: out.Parked && len(out.Events) > 0,
		messaged: len(out.Events) > 0 && out.Events[0].Kind.Arrival() && !redriving.Releases(&out.Events[0]),
	}
}

// append adds the events of a further run.
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

// proceed adds a further run in which the code continued.
func (d *draft) proceed(out *engine.Turn) {
	d.append(out)
	both := *out
	both.Events, both.Cancelled, both.Logs = d.Events, append(d.Cancelled, out.Cancelled...), append(d.Logs, out.Logs...)
	both.Reasons = engine.ReasonsBoth(d.Reasons, out.Reasons)
	both.SetBefore(&d.Turn)
	d.Turn = both
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
