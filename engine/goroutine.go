package engine

import "fmt"

// Durable calls are made on the goroutine of the coroutine that runs. A
// goroutine that user code started itself is told apart at every call, before
// anything is looked at that the engine changes: so it gets ErrNotRunning, and
// does no harm.

// owned reports whether the calling goroutine is that of the coroutine that
// runs: only then may what the execution consists of be read or changed.
func (x *Execution) owned() bool { return x.owner.Load() == goroutine() }

// notOwned is the error of a call that does not come from the code that runs.
func (x *Execution) notOwned(call string) error {
	if x.owner.Load() != 0 {
		return &MisuseError{Call: call, Err: ErrNotRunning,
			Problem: fmt.Sprintf("%s%s comes from a goroutine that the orchestration started itself: %v", call, at(caller(nil)), ErrNotRunning)}
	}
	if inline := x.inline.Load(); inline != nil {
		return nestedIn(call, fmt.Sprintf("inline activity %q", *inline))
	}
	return &MisuseError{Call: call, Err: ErrNotRunning, Problem: fmt.Sprintf("%s in instance %q: %v", call, x.cfg.Instance, ErrNotRunning)}
}
