package engine

import (
	"fmt"
	"strings"
)

// mostPlaces is the maximum number of branches that an error names.
const mostPlaces = 4

// resting describes where the code waits or how it ended, for an error about its difference from
// the history. place is where the main function waits, or where the first branch waits if the main
// function has no place. did is the description.
func (x *Execution) resting() (place, did string) {
	if x.end != nil {
		return "", x.attempted()
	}
	var others []string
	for i, c := range x.coroutines {
		at, on := c.where(), c.waitsOn()
		switch {
		case i == 0:
			place, did = at, "waits there"+on
		case len(others) < mostPlaces:
			others = append(others, at+on)
		}
	}
	if len(others) > 0 {
		did += ", and its branches wait at " + strings.Join(others, " and at ")
		if more := len(x.coroutines) - 1 - len(others); more > 0 {
			did += fmt.Sprintf(" and %d more", more)
		}
	}
	return place, did
}

// waitsOn names the operations that a coroutine waits for, or returns "" if they have no
// name.
func (c *coroutine) waitsOn() string {
	if !c.blocked {
		return ""
	}
	var names []string
	open := c.wait.futures
	for _, f := range open {
		if len(names) == mostPlaces {
			return fmt.Sprintf(" for %s and %d more", strings.Join(names, ", "), len(open)-len(names))
		}
		names = append(names, f.what())
	}
	if len(names) == 0 {
		return ""
	}
	return " for " + strings.Join(names, ", ")
}
