package host

import (
	"github.com/turnstile-go/turnstile/wire"
)

// Propagator says which headers go with everything that a commit sends, besides
// those that are recorded: the context of a trace. The commit is named by
// instance, execution and the id of its first event. It has to say the same each
// time, for what is sent again is asked for again. Headers that do not fit beside
// the others (wire.CheckHeaders) are left out.
type Propagator func(instance string, executionID, firstEventID int64) map[string]string

// traceHeader is the header of W3C trace context that a completion brings back, so
// that it can be told which trace the work was part of.
const traceHeader = "traceparent"

// traceOf are the headers of what completes an item.
func traceOf(i *wire.Item) map[string]string {
	if trace, traced := i.Headers[traceHeader]; traced {
		return map[string]string{traceHeader: trace}
	}
	return nil
}

// Cause is a message that a turn was made of and that has headers.
type Cause struct {
	Kind wire.Kind
	// SourceEventID and Attempt are those of a completion.
	SourceEventID int64
	Attempt       int
	// Headers of the message. Not to be changed.
	Headers map[string]string
}

// causes are those of the commits of a turn.
func (t *turn) causes() []Cause {
	var all []Cause
	for _, m := range t.group.messages {
		if i := &m.item; len(i.Headers) > 0 {
			all = append(all, Cause{Kind: i.Kind, SourceEventID: i.SourceEventID, Attempt: i.Attempt, Headers: i.Headers})
		}
	}
	return all
}

// committed tells the observer of a commit and its dispatch.
func (t *turn) committed(c Committed) {
	c.At, c.Began = t.Clock.Now(), t.began
	c.Causes, c.Messages = t.causes(), len(t.group.messages)
	c.Before.ExecutionID, c.Before.EventID = t.before.execution, t.before.eventID
	t.Observer.Committed(c)
	t.began, t.before = c.At, place{c.Turns[0].ExecutionID, c.Turns[0].First()}
}
