package check

import (
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// checkLost is M-19: a message of a lost history is discarded as late, and does not become
// a dead letter.
func (w *checker) checkLost(m *queue.Outgoing) {
	reason, _, _ := strings.Cut(m.Attributes[wire.ReasonAttribute], ":")
	if item, err := w.Item(m.Body); err == nil && w.OfLostHistory(item) && (wire.Reason(reason) == wire.ReasonForged || wire.Reason(reason) == wire.ReasonMisaddressed) {
		w.Violate("M-19", "a message of a lost history is a dead letter, %s: %s", m.Attributes[wire.ReasonAttribute], world.BodyText(m.Body))
	}
}

// checkForged is M-14 and M-19: no forged message, and no message of a lost history, is
// recorded; and the stored data does not reveal a valid token to the forger.
func (w *checker) checkForged(t *store.Turn) {
	if strings.HasPrefix(t.Instance, world.ForgedInstance) {
		w.Violate("M-14", "%s was started by a forged parent's token, or by a compromised activity", t.Instance)
	}
	for i := range t.Events {
		e := &t.Events[i]
		if string(e.Payload) == world.ForgedResult || e.Kind == history.TimerFired && e.FireAtMS == world.ForgedDue {
			w.Violate("M-14", "%s/%d: a forged %s is recorded at %d", t.Instance, t.ExecutionID, e.Kind, e.EventID)
		}
		if strings.HasPrefix(e.SenderID, world.ForgedInstance) || e.Failure != nil && strings.HasPrefix(e.Failure.Message, world.ForgedInstance) {
			w.Violate("M-14", "%s/%d: a message of a compromised activity is recorded at %d: %s", t.Instance, t.ExecutionID, e.EventID, e.Kind)
		}
		if s := e.Start; s != nil && (s.Secret != "" || s.Parent != nil && s.Parent.Token != "") {
			w.Violate("M-14", "%s/%d: a token, or the data to make one, is in %s at %d", t.Instance, t.ExecutionID, e.Kind, e.EventID)
		}
	}
}
