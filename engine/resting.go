package engine

import (
	"fmt"
	"strings"
)

// mostPlaces is how many of the branches an error names.
const mostPlaces = 4

// resting says what the code does in place of what history has: where it waits,
// or how it has ended. place is that of the main function, or of the first branch
// where that one has no place; did goes on from it.
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
		did += ", its branches at " + strings.Join(others, " and at ")
		if more := len(x.coroutines) - 1 - len(others); more > 0 {
			did += fmt.Sprintf(" and %d more", more)
		}
	}
	return place, did
}

// waitsOn names what a coroutine waits for, "" if that has no name.
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
