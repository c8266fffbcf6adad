package wire

import "slices"

// Conflict says what a start does if an instance already has its id, no matter who sends
// it.
type Conflict string

const (
	// ConflictRefuse, the default, starts nothing. A parent is notified that the id is in
	// use.
	ConflictRefuse Conflict = ""
	// ConflictUseExisting uses the existing instance if it runs the same orchestration:
	// its Parent waits for that instance, and its Events are raised for it.
	ConflictUseExisting Conflict = "use_existing"
	// ConflictRestart restarts the instance with a new execution if it has ended and
	// ran the same orchestration. It is refused while the instance runs.
	ConflictRestart Conflict = "restart"
	// ConflictUseOrRestart uses the instance while it runs, and restarts it if it has
	// ended.
	ConflictUseOrRestart Conflict = "use_existing_or_restart"
	// ConflictRedrive continues an instance that has ended and ran the same
	// orchestration: where it failed, or from the event of the Origin. It never starts a
	// new instance.
	ConflictRedrive Conflict = "redrive"
	// ConflictUseOrRedrive starts a new instance if there is none, uses one that runs or
	// has completed, and continues one that failed where it failed.
	ConflictUseOrRedrive Conflict = "use_existing_or_redrive"
)

var conflicts = []Conflict{ConflictRefuse, ConflictUseExisting, ConflictRestart, ConflictUseOrRestart, ConflictRedrive, ConflictUseOrRedrive}

func (c Conflict) known() bool { return slices.Contains(conflicts, c) }

// UsesExisting reports whether a running instance is used.
func (c Conflict) UsesExisting() bool {
	return c == ConflictUseExisting || c == ConflictUseOrRestart || c == ConflictUseOrRedrive
}

// Restarts reports whether an ended instance is restarted.
func (c Conflict) Restarts() bool {
	return c == ConflictRestart || c == ConflictUseOrRestart
}

// Redrives reports whether an ended instance continues where it failed.
func (c Conflict) Redrives() bool { return c == ConflictRedrive || c == ConflictUseOrRedrive }

// StartsNext reports whether an ended instance starts its next execution, either from the
// beginning or where it failed.
func (c Conflict) StartsNext() bool { return c.Restarts() || c.Redrives() }
