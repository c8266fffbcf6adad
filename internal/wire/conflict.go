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
)

var conflicts = []Conflict{ConflictRefuse, ConflictUseExisting}

func (c Conflict) known() bool { return slices.Contains(conflicts, c) }
