package lint

import (
	"fmt"
	"strings"
)

// reached is an effect that a function has, itself or through a function that it calls.
type reached struct {
	Check check
	// What is the name of its cause, and Does describes it: "time.Now", "reads the wall
	// clock".
	What, Does string
	Instead    string
	// Through are the functions in between, outermost first.
	Through []string
	// At is the file name, without the folder, and the line.
	At string
}

// functionFact is what other packages need to know about a function, or about a package-level
// variable that holds one.
type functionFact struct {
	// Module is the module of the function.
	Module string
	// Orchestration is true if the finding was already reported in the function's own package.
	Orchestration bool
	Reached       []reached
	// MapOrdered is true if the function's result depends on the order of a map.
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

// variableFact is exported for a package-level variable that is written after the program has been
// initialized.
type variableFact struct {
	Module string
	// By is the function that writes the variable, At the file and line.
	By, At string
}

func (*variableFact) AFact() {}

func (f *variableFact) String() string { return fmt.Sprintf("written by %s", f.By) }
