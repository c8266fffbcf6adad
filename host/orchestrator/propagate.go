package orchestrator

import (
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/dispatch"
)

// causes are those of the commits of a turn.
func (t *turn) causes() []host.Cause {
	var all []host.Cause
	for _, m := range t.group.messages {
		if i := &m.Item; len(i.Headers) > 0 {
			all = append(all, host.Cause{Kind: i.Kind, SourceEventID: i.SourceEventID, Attempt: i.Attempt, Headers: i.Headers})
		}
	}
	return all
}

// committed tells the observer of a commit and its dispatch.
func (t *turn) committed(c host.Committed) {
	c.At, c.Began = t.Clock.Now(), t.began
	c.Causes, c.Messages = t.causes(), len(t.group.messages)
	c.Before.ExecutionID, c.Before.EventID = t.before.Execution, t.before.EventID
	t.Observer.Committed(c)
	t.began, t.before = c.At, dispatch.Place{Execution: c.Turns[0].ExecutionID, EventID: c.Turns[0].First()}
}
