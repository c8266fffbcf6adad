package world

import (
	"errors"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// shortLimits are the limits of work items in a run with nearLimits. They are low, so that items
// near them cost a run nothing.
var shortLimits = wire.Limits{Payload: 1200, Text: 300}

// NearLimits returns the limits of work items, and whether many payloads should be as long as the
// limits.
func (w *World) NearLimits() (wire.Limits, bool) { return w.limits, w.has(nearLimits) }

// IsOver reports whether an item exceeds a limit of the run.
func (w *World) IsOver(item *wire.Item) bool {
	parse, ok := errors.AsType[*wire.ParseError](w.limits.Check(item))
	return w.has(nearLimits) && ok && parse.Reason == wire.ReasonTooLarge
}

// drawLimits sets the limits of work items if the run has nearLimits. Results may be as long as
// payloads, as in production.
func (w *World) drawLimits() {
	if !w.has(nearLimits) {
		return
	}
	w.limits, w.Rejected = shortLimits, true
	if w.Settings.Limits.Result == 0 {
		w.Settings.Limits.Result = shortLimits.Payload
	}
}
