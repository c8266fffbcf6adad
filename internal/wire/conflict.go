package wire

import "slices"

// Conflict is what a start does if an instance has its id already, whoever sends it.
type Conflict string

const (
	// ConflictRefuse, the default, begins nothing. A parent is told that the id is
	// taken.
	ConflictRefuse Conflict = ""
	// ConflictUseExisting uses the instance that has the id, if it runs the same
	// orchestration: its Parent waits for it, and its Events are raised for it.
	ConflictUseExisting Conflict = "use_existing"
	// ConflictBeginAgain begins the next execution of the instance, if it has ended and
	// ran the same orchestration; it is refused while that runs.
	ConflictBeginAgain Conflict = "begin_again"
	// ConflictUseOrBeginAgain uses the instance while it runs, and begins its next
	// execution if it has ended.
	ConflictUseOrBeginAgain Conflict = "use_existing_or_begin_again"
	// ConflictRedrive has an instance that has ended, and ran the same orchestration, go
	// on where it failed, or from the event of the Origin. It begins no new instance.
	ConflictRedrive Conflict = "redrive"
	// ConflictUseOrRedrive begins a new instance where there is none, uses the one that
	// runs or has completed, and has one that failed go on where it did.
	ConflictUseOrRedrive Conflict = "use_existing_or_redrive"
)

var conflicts = []Conflict{ConflictRefuse, ConflictUseExisting, ConflictBeginAgain, ConflictUseOrBeginAgain, ConflictRedrive, ConflictUseOrRedrive}

func (c Conflict) known() bool { return slices.Contains(conflicts, c) }

// UsesExisting reports whether an instance that runs is used.
func (c Conflict) UsesExisting() bool {
	return c == ConflictUseExisting || c == ConflictUseOrBeginAgain || c == ConflictUseOrRedrive
}

// BeginsAgain reports whether an instance that has ended begins its next execution.
func (c Conflict) BeginsAgain() bool {
	return c == ConflictBeginAgain || c == ConflictUseOrBeginAgain
}

// Redrives reports whether an instance that has ended goes on where it failed.
func (c Conflict) Redrives() bool { return c == ConflictRedrive || c == ConflictUseOrRedrive }

// BeginsNext reports whether an instance that has ended begins its next execution, from the
// beginning or from where it failed.
func (c Conflict) BeginsNext() bool { return c.BeginsAgain() || c.Redrives() }
