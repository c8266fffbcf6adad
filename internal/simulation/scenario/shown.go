package scenario

import (
	"encoding/json"
	"strings"

	"github.com/turnstile-go/turnstile/internal/gating"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// shows looks at the line that a gate shows behind a turn: what an operator has set counts.
func (s *places) shows(w *world.World, t *store.Turn) {
	if !strings.HasPrefix(t.Instance, gating.InstanceID("")) {
		return
	}
	r, err := w.Describe(t.Instance)
	if err != nil || r.Purged || r.Problem != nil || r.Suspension != nil || r.Status != store.StatusRunning || r.ExecutionID != t.ExecutionID || len(r.CustomStatus) == 0 {
		return // It has not taken what this turn has recorded.
	}
	var line gating.Line
	if json.Unmarshal(r.CustomStatus, &line) != nil {
		return
	}
	if n := line.Set; n > 0 && !line.Closed && line.N != n {
		w.Violate("outcome", "the gate of %q lets in %d, an operator has set %d", line.Key, line.N, n)
	}
}
