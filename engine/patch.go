package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/history"
)

// A patch is a change of code in place. Whether an execution has it is decided
// where the code first asks, and holds from then on: where that is in a round
// that has no answers yet, it has the patch, and a marker is recorded; in a
// recorded round it has the patch if the marker is the next event there.
// Nothing is ever inserted into what was recorded before.

// Patched reports whether the execution has the patch.
func (c *Context) Patched(id string) (bool, error) {
	x := c.x
	if _, err := x.enter("Patched", id); err != nil {
		return false, err
	}
	if has, asked := x.patches[id]; asked {
		return has, nil
	}
	has := x.cursor.live || x.nextIsPatch(id)
	if has {
		if _, err := x.schedule(patchMarker(id), nil); err != nil {
			return false, err
		}
	}
	x.decided(id, has)
	return has, nil
}

// PatchRetired stands where Patched stood once the code before the patch is
// gone: it takes the marker of an execution that has one, and records none.
func (c *Context) PatchRetired(id string) error {
	x := c.x
	if _, err := x.enter("PatchRetired", id); err != nil {
		return err
	}
	if _, asked := x.patches[id]; asked {
		return nil
	}
	has := x.nextIsPatch(id)
	if has {
		if _, err := x.schedule(patchMarker(id), nil); err != nil {
			return err
		}
	} else if !x.cursor.live {
		// Should it turn out that the code does not agree with this history,
		// this is why.
		x.before = append(x.before, id)
	}
	x.decided(id, has)
	return nil
}

func (x *Execution) decided(id string, has bool) {
	if x.patches == nil {
		x.patches = make(map[string]bool)
	}
	x.patches[id] = has
}

func patchMarker(id string) *history.Event {
	return &history.Event{Kind: history.SystemCall, Op: history.OpPatch, Name: id}
}

// nextIsPatch reports whether the next unclaimed event of a recorded round is
// the marker.
func (x *Execution) nextIsPatch(id string) bool {
	if x.cursor.live || x.cursor.claim >= x.cursor.claimEnd {
		return false
	}
	e := &x.events[x.cursor.claim]
	return e.Kind == history.SystemCall && e.Op == history.OpPatch && e.Name == id
}

// patchHint says which patches have to do with a nondeterminism: those whose
// old code is gone, though this history is from before them.
func (x *Execution) patchHint() string {
	if len(x.before) == 0 {
		return ""
	}
	before := slices.Clone(x.before)
	for i, id := range before {
		before[i] = fmt.Sprintf("%q", id)
	}
	return fmt.Sprintf(" (the code has retired the patch %s, and this history is from before it: bring the code before the patch back until such instances have ended)",
		strings.Join(before, " and "))
}
