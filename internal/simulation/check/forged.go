package check

import (
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// checkForged is M-14: nothing that the forger has made up is recorded, and what
// is stored tells him nothing by which he could.
func (w *checker) checkForged(t *store.Turn) {
	if strings.HasPrefix(t.Instance, world.ForgedInstance) {
		w.Violate("M-14", "%s was started by a parent's token that is made up, or by a compromised activity", t.Instance)
	}
	for i := range t.Events {
		e := &t.Events[i]
		if string(e.Payload) == world.ForgedResult || e.Kind == history.TimerFired && e.FireAtMS == world.ForgedDue {
			w.Violate("M-14", "%s/%d: a forged %s is recorded at %d", t.Instance, t.ExecutionID, e.Kind, e.EventID)
		}
		if strings.HasPrefix(e.SenderID, world.ForgedInstance) || e.Failure != nil && strings.HasPrefix(e.Failure.Message, world.ForgedInstance) {
			w.Violate("M-14", "%s/%d: what a compromised activity sent is recorded at %d: %s", t.Instance, t.ExecutionID, e.EventID, e.Kind)
		}
		if s := e.Start; s != nil && (s.Secret != "" || s.Parent != nil && s.Parent.Token != "") {
			w.Violate("M-14", "%s/%d: what makes or is a token stands in %s at %d", t.Instance, t.ExecutionID, e.Kind, e.EventID)
		}
	}
}
