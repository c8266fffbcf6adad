package engine

import "fmt"

// Durable calls must be made on the goroutine of the running coroutine. Every call first
// checks its goroutine, before it reads anything that the engine changes. A goroutine
// that user code started gets ErrNotRunning and does no harm.

// owned reports whether the calling goroutine belongs to the running coroutine. Only then
// may the state of the execution be read or changed.
func (x *Execution) owned() bool { return x.owner.Load() == goroutine() }

// notOwned returns the error for a call that does not come from the running code.
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
