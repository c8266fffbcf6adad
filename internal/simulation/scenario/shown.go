package scenario

import (
	"encoding/json"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// shows checks the waiting list that a coordinator shows after a turn: the number that an
// operator has set applies.
func (s *places) shows(w *world.World, t *store.Turn) {
	if !strings.HasPrefix(t.Instance, coordination.InstanceID("")) {
		return
	}
	r, err := w.Describe(t.Instance)
	if err != nil || r.Purged || r.Problem != nil || r.Suspension != nil || r.Status != store.StatusRunning || r.ExecutionID != t.ExecutionID || len(r.States) == 0 {
		return // It has not processed what this turn recorded.
	}
	var line coordination.State
	if json.Unmarshal(history.StateNamed(r.States, history.ListedState), &line) != nil {
		return
	}
	if n := line.Set; n > 0 && !line.Closed && line.N != n {
		w.Violate("outcome", "the coordinator of %q uses the limit %d, an operator has set %d", line.Key, line.N, n)
	}
}
