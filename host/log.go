package host

import (
	"context"
	"log/slog"

	"github.com/turnstile-go/turnstile/wire"
)

// Every line that is logged while a batch is handled says what it is about:
// instance, execution_id and event_id, which are empty or 0 where it is about
// none. Lines that orchestration code logs have them too.

// subject is what lines are about.
type subject struct {
	instance    string
	executionID int64
	// eventID: of a turn the last event of the history, of a message the event
	// that it is about, of a line of orchestration code the event that it has come
	// to.
	eventID int64
}

type subjectKey struct{}

func (s subject) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, subjectKey{}, s)
}

// about returns the context of what is logged of a message.
func (m *message) about(ctx context.Context) context.Context { return aboutItem(ctx, &m.item) }

func aboutItem(ctx context.Context, i *wire.Item) context.Context {
	event := i.SchedulingEventID
	if event == 0 && i.Kind != wire.Wake {
		event = i.SourceEventID
	}
	return subject{i.Target(), i.TargetExecution(), event}.in(ctx)
}

// about returns the context of what is logged of a turn, as far as it has come.
func (t *turn) about(ctx context.Context) context.Context {
	s := subject{instance: t.group.instance, executionID: t.execution}
	if t.x != nil {
		s.eventID = t.x.LastEventID()
	}
	return s.in(ctx)
}

const (
	keyInstance  = "instance"
	keyExecution = "execution_id"
	keyEvent     = "event_id"
)

// subjectAttrs are what a line is about, by its context.
func subjectAttrs(ctx context.Context) []slog.Attr {
	s, _ := ctx.Value(subjectKey{}).(subject)
	return []slog.Attr{slog.String(keyInstance, s.instance), slog.Int64(keyExecution, s.executionID), slog.Int64(keyEvent, s.eventID)}
}
