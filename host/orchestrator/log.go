package orchestrator

import (
	"context"

	"github.com/turnstile-go/turnstile/internal/logattr"
)

// about returns the context of what is logged of a turn, as far as it has come.
func (t *turn) about(ctx context.Context) context.Context {
	s := logattr.Subject{Instance: t.Instance, ExecutionID: t.execution}
	if t.x != nil {
		s.EventID = t.x.LastEventID()
	}
	return s.In(ctx)
}
