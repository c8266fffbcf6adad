package lint

import (
	"fmt"
	"strings"
)

// reached is something that a function does, itself or through what it calls.
type reached struct {
	Check check
	// What it is, and what that does: "time.Now", "reads the wall clock".
	What, Does string
	Instead    string
	// Through are the functions in between, the outermost first.
	Through []string
	// At is file and line, without the folder.
	At string
}

// functionFact is what other packages need to know of a function, or of a
// package-level variable that holds one.
type functionFact struct {
	// Module that it belongs to.
	Module string
	// Orchestration says that its own package has been told about it.
	Orchestration bool
	Reached       []reached
	// MapOrdered says that its result depends on the order of a map.
	MapOrdered bool
}

func (*functionFact) AFact() {}

func (f *functionFact) String() string {
	var words []string
	if f.Orchestration {
		words = append(words, "orchestration")
	}
	for _, r := range f.Reached {
		words = append(words, string(r.Check))
	}
	if f.MapOrdered {
		words = append(words, "in the order of a map")
	}
	return strings.Join(words, ", ")
}

// variableFact says of a package-level variable that it is written after the
// program has been initialized.
type variableFact struct {
	Module string
	// By is the function that writes it, At file and line.
	By, At string
}

func (*variableFact) AFact() {}

func (f *variableFact) String() string { return fmt.Sprintf("written by %s", f.By) }
