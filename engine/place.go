package engine

import (
	"strconv"
	"strings"
)

// Place is a place in the code where a branch waits.
type Place struct {
	// File and Line of the call in the author's code.
	File string `json:"file"`
	Line int    `json:"line"`
	// EventIDs are the scheduling events of the operations that the branch waits for, in argument
	// order; Branches is the number of branches that it waits for.
	EventIDs []int64 `json:"events,omitempty"`
	Branches int     `json:"branches,omitempty"`
}

// Places returns where the code waits: one place for each waiting branch, in the order in which the
// branches were started, the main function first. Call it after Run. It resumes each branch to find
// its place, so no places are stored. It returns nil if the code has ended or cannot continue.
func (x *Execution) Places() []Place {
	if x.closed.Load() || x.stuck != nil || x.end != nil {
		return nil
	}
	var out []Place
	for _, c := range x.coroutines {
		if !c.blocked {
			continue
		}
		var p Place
		at := c.where()
		p.File = at
		if i := strings.LastIndexByte(at, ':'); i >= 0 {
			if n, err := strconv.Atoi(at[i+1:]); err == nil {
				p.File, p.Line = at[:i], n
			}
		}
		for _, f := range c.wait.futures {
			if f.id != 0 {
				p.EventIDs = append(p.EventIDs, f.id)
			} else {
				p.Branches++
			}
		}
		out = append(out, p)
	}
	return out
}
