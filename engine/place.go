package engine

import (
	"strconv"
	"strings"
)

// Place is where a branch of the code waits.
type Place struct {
	// File and Line of the call in the author's code.
	File string
	Line int
	// EventIDs are the scheduling events of what it waits for, in the order of the call;
	// Branches is how many branches of the code are among it.
	EventIDs []int64
	Branches int
}

// Places returns where the code waits, a place for each branch that does, in the order in
// which they were started: the main function is the first. It is asked for behind a Run,
// of the branches themselves, so that nothing is kept for it. There is none once the code
// has ended, or cannot go on.
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
