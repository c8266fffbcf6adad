package logattr

import (
	"context"
	"log/slog"
)

// Subject is what the lines that are logged with a context are about. Every line
// that is logged while a batch is handled says so, those that orchestration code
// logs too; instance, execution_id and event_id are empty or 0 where it is about
// none.
type Subject struct {
	Instance    string
	ExecutionID int64
	// EventID is, for a turn, the last event of the history; for a message, the event that it
	// refers to; and for a line of orchestration code, the last event that the code has reached.
	EventID int64
}

type subjectKey struct{}

// In returns a context whose lines are about s.
func (s Subject) In(ctx context.Context) context.Context {
	return &subjectContext{ctx, s}
}

// subjectContext is a context with a subject. It stands in one piece of memory,
// for each turn and each message has one or more.
type subjectContext struct {
	context.Context
	subject Subject
}

// Value implements context.Context.
func (c *subjectContext) Value(key any) any {
	if key == (subjectKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// OfSubject are the attributes of what lines with the context are about.
func OfSubject(ctx context.Context) []slog.Attr {
	var s Subject
	if c, ok := ctx.Value(subjectKey{}).(*subjectContext); ok {
		s = c.subject
	}
	return []slog.Attr{slog.String("instance", s.Instance), slog.Int64("execution_id", s.ExecutionID), slog.Int64("event_id", s.EventID)}
}
