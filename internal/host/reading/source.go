package reading

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/store"
)

// Source reads what views have not.
type Source struct {
	Store    store.Store
	Codecs   *codec.Set
	Clock    clock.Clock
	Observer host.Observer
	Logger   *slog.Logger
}

// Describe reads the record; after says that a history was read before it. Where its
// payloads are sealed by a codec that this build does not have, the error says so, and
// the rest of the record is there.
func (s *Source) Describe(ctx context.Context, v *View, behind bool) error {
	r, err := s.Store.Describe(ctx, v.Instance)
	switch {
	case errors.Is(err, store.ErrNotFound):
		v.Record, err = nil, nil
	case err != nil:
		return fmt.Errorf("host: record of instance %q: %w", v.Instance, err)
	default:
		err = s.open(ctx, v, &r)
		v.Record = &r
	}
	v.Described, v.Current = true, behind
	return err
}

// open makes a record plain. It is a projection of history: what is
// damaged in it is left out, and written anew when it changes.
func (s *Source) open(ctx context.Context, v *View, r *store.Record) error {
	err := s.Codecs.OpenRecord(r)
	if err != nil && !edge.MissesCodec(err) {
		s.Logger.WarnContext(ctx, "status and output of the record left out", "instance", r.Instance, "error", err)
		r.CustomStatus, r.Output, r.Codec, v.Damaged = nil, nil, "", true
		return nil
	}
	return err
}

// Read returns the turns of an execution, and reads each execution once.
func (s *Source) Read(ctx context.Context, v *View, execution int64) ([]store.Turn, error) {
	if turns, ok := v.histories[execution]; ok {
		return turns, nil
	}
	turns, err := s.Tail(ctx, v.Instance, execution, 1)
	if missing := v.missing(execution, turns, err); missing != nil {
		err = s.Confirm(ctx, missing)
	}
	if err != nil {
		return nil, fmt.Errorf("host: history of instance %q execution %d: %w", v.Instance, execution, err)
	}
	v.keep(execution, turns)
	return turns, nil
}

// Tail reads the turns of an execution from an event on, which is the first of one of
// them, and makes them plain.
func (s *Source) Tail(ctx context.Context, instance string, execution, from int64) ([]store.Turn, error) {
	began := s.Clock.Now()
	turns, err := s.Store.Read(ctx, instance, execution, from)
	if err == nil {
		err = s.Codecs.OpenTurns(turns)
	}
	s.Observer.Timing(host.TimeRead, s.Clock.Now().Sub(began))
	return turns, err
}

// Confirm looks whether an event that a read did not find is there. A record and
// a history are two reads, and a Query may meet a transaction in the middle: only
// a read that is isolated from transactions tells what is lost from what was about
// to be there. store.ErrConflict if nothing is lost; a *store.CorruptError that is
// confirmed if the event is.
func (s *Source) Confirm(ctx context.Context, lacks *store.CorruptError) error {
	at, err := s.Store.ReadIsolated(ctx, lacks.Instance, lacks.ExecutionID, lacks.EventID)
	if err != nil {
		return fmt.Errorf("host: event %d of instance %q execution %d, which was not found, was not looked for again: %w", lacks.EventID, lacks.Instance, lacks.ExecutionID, err)
	}
	if at.Stored || at.Record == nil || !holds(at.Record, lacks.ExecutionID) {
		return fmt.Errorf("host: instance %q execution %d was changed at event %d while it was read: %w", lacks.Instance, lacks.ExecutionID, lacks.EventID, store.ErrConflict)
	}
	confirmed := *lacks
	confirmed.Unconfirmed = false
	return &confirmed
}

// Unmoved looks whether nothing follows what was read of an execution, whose next event
// this is: store.ErrConflict if something does. It is for who is about to do what no
// commit of its own would refuse.
func (s *Source) Unmoved(ctx context.Context, instance string, execution, next int64) error {
	at, err := s.Store.ReadIsolated(ctx, instance, execution, next)
	if err == nil && at.Stored {
		err = store.ErrConflict
	}
	if err != nil {
		return fmt.Errorf("host: instance %q execution %d has to be known up to event %d: %w", instance, execution, next, err)
	}
	return nil
}
