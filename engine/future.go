package engine

import (
	"strconv"

	"github.com/turnstile-go/turnstile/history"
)

type futureState uint8

const (
	open futureState = iota
	done
	cancelled
)

// Future is a pending operation: an activity, a timer, a wait for an external event, a
// child, or a branch.
type Future struct {
	x     *Execution
	kind  history.Kind // KindUnknown for a branch
	state futureState
	// inline marks an activity that is not sent to a queue.
	inline bool
	// refused is set if the call that created the future was not allowed.
	refused bool
	// given is set when the code has received the result or has seen that the future
	// is ready.
	given bool
	id    int64 // event id, 0 for a branch
	name  string
	child string // the child's instance

	seq   int64 // order in which it became ready (rule 6)
	took  int64 // id of the external event that a wait took
	value []byte
	err   error

	wait  *wait   // the first wait for the future
	waits []*wait // the other waits

	scope      *scope
	prev, next *Future // open futures of the scope, in the order of scheduling

	branch *coroutine
}

// newFuture returns a zero future. In a replay it allocates several at a time, as many as
// the round still has to claim.
func (x *Execution) newFuture() *Future {
	if len(x.futures) == 0 {
		const most = 16
		n := 1
		if !x.cursor.live {
			n = min(max(x.cursor.claimEnd-x.cursor.claim, (x.events.len()-x.cursor.claimEnd)/4, 1), most)
		}
		if n == 1 {
			return &Future{x: x}
		}
		x.futures = make([]Future, n)
	}
	f := &x.futures[0]
	x.futures = x.futures[1:]
	f.x = x
	return f
}

// EventID returns the id of the scheduling event. It is 0 for a branch or an operation
// that was not recorded.
func (f *Future) EventID() int64 { return f.id }

// Instance returns the child's instance id; empty for other operations.
func (f *Future) Instance() string { return f.child }

// Encoded returns Context.Encoded of the future's execution.
func (f *Future) Encoded() bool { return f.x != nil && f.x.cfg.Options.Conceal != nil }

// Ready reports whether awaiting the future would return at once. It delivers the
// completion now if it is already known. Outside the running code it returns false.
func (f *Future) Ready() bool {
	if !f.x.owned() {
		return false
	}
	f.x.askFor(f)
	f.given = f.state != open
	return f.given
}

// give returns the outcome and notes that the code has received it.
func (f *Future) give() Outcome {
	f.given = true
	return Outcome{f.value, f.err}
}

func (f *Future) what() string {
	var room [96]byte
	b := room[:0]
	switch f.kind {
	case history.ActivityScheduled:
		b = strconv.AppendQuote(append(b, "activity "...), f.name)
	case history.TimerCreated:
		b = append(b, "timer"...)
	case history.ExternalSubscribed:
		b = strconv.AppendQuote(append(b, "wait for external event "...), f.name)
	case history.SubOrchestrationScheduled:
		b = strconv.AppendQuote(append(b, "sub-orchestration "...), f.name)
		b = strconv.AppendQuote(append(b, ", instance "...), f.child)
	default:
		return "branch"
	}
	b = strconv.AppendInt(append(b, " (event "...), f.id, 10)
	return string(append(b, ')'))
}

// resolve makes the future ready with a result.
func (f *Future) resolve(value []byte, err error) { f.become(done, value, err) }

func (f *Future) become(state futureState, value []byte, err error) {
	if f.state != open {
		return
	}
	x := f.x
	x.readySeq++
	f.state, f.seq, f.value, f.err = state, x.readySeq, value, err
	if f.scope != nil {
		f.scope.remove(f)
	}
	if f.kind != history.KindUnknown && f.id != 0 {
		x.openOps--
		*x.ops.at(int(f.id) - 1) = nil // Nothing can complete it any more.
	}
	f.wake()
}

// cancel makes an open future ready with a cancelled error and records its id in the turn, because
// the work outside must be stopped, and the history alone does not show that the code no longer
// waits for that work.
func (f *Future) cancel(reason string) { f.stop(&CancelledError{Reason: reason}) }

// stop cancels the operation for the cause of another cancellation.
func (f *Future) stop(cause *CancelledError) {
	if f.state != open {
		return
	}
	x := f.x
	f.become(cancelled, nil, cause.of(f.what()))
	if f.branch != nil {
		// The code of the branch continues and sees the cancelled scope; its result is
		// discarded.
		x.cancelScope(f.branch.context.scope, cause.of("branch"))
		return
	}
	if f.kind == history.ExternalSubscribed {
		x.forgetWait(f)
	}
	if f.kind != history.KindUnknown {
		x.noteCancelled(f.id)
		if f.kind == history.ActivityScheduled || f.kind == history.SubOrchestrationScheduled {
			x.noteReason(f, cause)
		}
	}
}

// stoppable reports whether the operation has work outside to stop.
func (f *Future) stoppable() bool {
	switch f.kind {
	case history.ActivityScheduled:
		return !f.inline
	case history.TimerCreated, history.SubOrchestrationScheduled:
		return true
	}
	return false
}

func (x *Execution) noteCancelled(eventID int64) {
	if x.cursor.live && eventID != 0 {
		x.run.cancelled = append(x.run.cancelled, eventID)
	}
}

// Cancel cancels the operation: awaiting it returns the cancelled error. If it is already
// ready, Cancel has no effect. It returns an error where durable calls are not allowed:
// from another goroutine, or in a deferred function while the orchestration is unwound.
func (f *Future) Cancel(reason string) error {
	if _, err := f.x.enter("Cancel", ""); err != nil {
		return err
	}
	f.x.run.given = true
	f.cancel(reason)
	f.x.run.given = false
	return nil
}
