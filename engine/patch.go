package engine

import (
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/history"
)

// A patch changes code in place. Whether an execution has the patch is decided when its code first
// asks, and never changes afterwards. In a live round the execution has the patch, and a marker is
// recorded. In a recorded round it has the patch if the next event is the marker. Nothing is ever
// inserted into a recorded history.

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
	} else {
		x.without = append(x.without, id)
	}
	x.decided(id, has)
	return has, nil
}

// PatchRetired replaces Patched once the code from before the patch is removed. If the
// execution has a marker, PatchRetired claims it; it never records one.
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
		// If the code later disagrees with this history, the retired patch
		// explains why.
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

// nextIsPatch reports whether the next unclaimed event of a recorded round is the marker
// of the patch.
func (x *Execution) nextIsPatch(id string) bool {
	if x.cursor.live || x.cursor.claim >= x.cursor.claimEnd {
		return false
	}
	e := x.events.at(x.cursor.claim)
	return e.Kind == history.SystemCall && e.Op == history.OpPatch && e.Name == id
}

// patchOf returns the patch that may explain a nondeterminism at an event, because
// another build has the patch or has retired it, and a hint for people. A build that adds the
// handler of an update is like one with a patch.
func (x *Execution) patchOf(eventID int64) (patch, hint string) {
	if 0 < eventID && eventID <= int64(x.events.len()) {
		e := x.events.at(int(eventID) - 1)
		update, decides := e.Update()
		switch {
		case e.Kind == history.SystemCall && e.Op == history.OpPatch:
			return e.Name, fmt.Sprintf(" (this code does not ask for the patch %q here; either a newer build does, or its Patched or PatchRetired was removed too early)", e.Name)
		case decides && x.updates[e.Name] == nil:
			return "update " + update, fmt.Sprintf(" (this code has no handler for the update %q here; either a newer build has one, or it was removed too early)", update)
		}
	}
	if len(x.without) > 0 {
		patch = x.without[len(x.without)-1]
		hint = fmt.Sprintf(" (this history was recorded before the patch %s, or by a newer build that has retired it)", quotedList(x.without))
	}
	if len(x.before) > 0 {
		hint += fmt.Sprintf(" (this history was recorded before the patch %s, which the code has retired; restore the code from before the patch until all such instances have ended)", quotedList(x.before))
	}
	return patch, hint
}

func quotedList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, " and ")
}
