package deciding

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
)

// PatchError is returned if a history may agree with the code of another build, because a patch is
// being deployed.
type PatchError struct{ Stuck *engine.StuckError }

func (e *PatchError) Error() string {
	return fmt.Sprintf("host: left to a build that has the patch %q: %v", e.Stuck.Patch, e.Stuck)
}

func (e *PatchError) Unwrap() error { return e.Stuck }

// leaveToAnotherBuild returns a *PatchError if a process of another build must make the turn,
// because the history has a patch that this build does not have, or lacks one that it has. Both
// happen in every deployment. Each message is requeued until PatchWindow has passed since a process
// first could not use it. After that the instance is stuck because of the patch: a patch whose code
// was removed by mistake looks the same.
//
// It does not apply in three cases: a turn for these messages has already been committed; the
// instance is stuck, so its wakes run the code again; or a start creates the instance, which has no
// history yet.
func (r *round) leaveToAnotherBuild(stuck *engine.StuckError) error {
	k := r.k
	if k.Running.Stage == Committed {
		return nil
	}
	if err := k.described(); err != nil {
		return err
	}
	if k.View.Record == nil || k.swept() {
		return nil
	}
	for _, m := range k.Group.Open() {
		if since, _ := m.RequeuedSince(k.Now.At); k.Now.At.Sub(since) >= k.By.Settings.Messages.PatchWindow {
			return nil
		}
	}
	return &PatchError{stuck}
}
