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
)

var conflicts = []Conflict{ConflictRefuse, ConflictUseExisting, ConflictBeginAgain, ConflictUseOrBeginAgain}

func (c Conflict) known() bool { return slices.Contains(conflicts, c) }

// UsesExisting reports whether an instance that runs is used.
func (c Conflict) UsesExisting() bool {
	return c == ConflictUseExisting || c == ConflictUseOrBeginAgain
}

// BeginsAgain reports whether an instance that has ended begins its next execution.
func (c Conflict) BeginsAgain() bool {
	return c == ConflictBeginAgain || c == ConflictUseOrBeginAgain
}
