package deciding

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
)

// PatchError says that a history may agree with the code of another build,
// because a patch is being rolled out.
type PatchError struct{ Stuck *engine.StuckError }

func (e *PatchError) Error() string {
	return fmt.Sprintf("host: left to a build that has the patch %q: %v", e.Stuck.Patch, e.Stuck)
}

func (e *PatchError) Unwrap() error { return e.Stuck }

// leaveToAnotherBuild returns a *PatchError if the turn is to be left to a process
// of another build: the history has a patch that this build does not have, or the
// other way round, as happens in every rollout. Each message goes round for
// PatchWindow, counted from when a process first could not use it. After that the
// instance is stuck for this reason, because a patch whose code was taken out by
// mistake looks the same.
//
// It does not apply if something was committed for the messages in this turn
// already, if the instance is stuck, because then its wakes try again, or if a plain start
// begins the instance, because then there is no history. A fork has one.
func (t *Turn) leaveToAnotherBuild(stuck *engine.StuckError) error {
	if t.Running.Confirmed {
		return nil
	}
	if err := t.described(); err != nil {
		return err
	}
	if t.View.Record == nil && !t.Running.takesOver() || t.swept() {
		return nil
	}
	for _, m := range t.open() {
		if since, _ := m.RoundSince(t.Now.At); t.Now.At.Sub(since) >= t.By.Settings.Messages.PatchWindow {
			return nil
		}
	}
	return &PatchError{stuck}
}
