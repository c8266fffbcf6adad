package check

import (
	"strings"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// checkCorrupt is: no message may be moved as corrupt if the history of its
// instance was not damaged.
func (w *checker) checkCorrupt(to *world.Queue, m *queue.Outgoing) {
	if to != w.DeadFIFO && to != w.DeadStandard {
		return
	}
	if reason, _, _ := strings.Cut(m.Attributes[wire.ReasonAttribute], ":"); wire.Reason(reason) == wire.ReasonCorrupt {
		if item, err := w.Item(m.Body); err == nil && w.WasDamaged(item.Target()) {
			w.Reached("R-08")
			return
		}
		w.Violate("R-09", "a dead letter says that a history is damaged: %s: %s", m.Attributes[wire.ReasonAttribute], world.BodyText(m.Body))
	}
}
