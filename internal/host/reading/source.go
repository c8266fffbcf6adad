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

// Source reads the records and histories that views lack.
type Source struct {
	Store    store.Store
	Codecs   *codec.Set
	Clock    clock.Clock
	Observer host.Observer
	Logger   *slog.Logger
}

// Describe reads the record into the view; behind says that a history was read before the record.
// If the record's payloads were encoded by a codec that this build does not have, Describe returns
// an error and sets the rest of the record.
func (s *Source) Describe(ctx context.Context, v *View, behind bool) error {
	r, err := s.Store.Describe(ctx, v.Instance)
	switch {
	case errors.Is(err, store.ErrNotFound):
		v.Record, err = nil, nil
	case err != nil:
		return fmt.Errorf("host: reading the record of instance %q: %w", v.Instance, err)
	default:
		err = s.open(ctx, v, &r)
		v.Record = &r
	}
	v.Described, v.Current = true, behind
	return err
}

// open decodes a record. A record is a projection of the history, so damaged payloads are left out
// here; the next change of the record writes them again.
func (s *Source) open(ctx context.Context, v *View, r *store.Record) error {
	err := s.Codecs.DecodeRecord(r)
	if err != nil && !edge.MissesCodec(err) {
		s.Logger.WarnContext(ctx, "states and output of the record cannot be decoded and are left out", "instance", r.Instance, "error", err)
		r.States, r.StatesCodec, r.Output, r.Codec, v.Damaged = nil, "", nil, "", true
		return nil
	}
	return err
}

// Read returns the turns of an execution. It reads each execution from the store once.
func (s *Source) Read(ctx context.Context, v *View, execution int64) ([]store.Turn, error) {
	if turns, ok := v.histories[execution]; ok {
		return turns, nil
	}
	turns, err := s.Tail(ctx, v.Instance, execution, 1)
	if missing := v.missing(execution, turns, err); missing != nil {
		err = s.Confirm(ctx, missing)
	}
	if err != nil {
		return nil, fmt.Errorf("host: reading the history of instance %q execution %d: %w", v.Instance, execution, err)
	}
	v.keep(execution, turns)
	return turns, nil
}

// Tail reads and decodes the turns of an execution, starting at the turn whose first event is from.
func (s *Source) Tail(ctx context.Context, instance string, execution, from int64) ([]store.Turn, error) {
	startedAt := s.Clock.Now()
	turns, err := s.Store.Read(ctx, instance, execution, from)
	if err == nil {
		err = s.Codecs.DecodeTurns(turns)
	}
	s.Observer.Timing(host.TimeRead, s.Clock.Now().Sub(startedAt))
	return turns, err
}

// Confirm checks whether an event that a read did not find exists. The record and the history are
// read separately, and a Query may see only part of a transaction that is being committed. Only a
// read that is isolated from transactions can distinguish a lost event from an event whose
// transaction was in progress. Confirm returns store.ErrConflict if the event exists, and a
// confirmed *store.CorruptError if it is lost.
func (s *Source) Confirm(ctx context.Context, lacks *store.CorruptError) error {
	at, err := s.Store.ReadIsolated(ctx, lacks.Instance, lacks.ExecutionID, lacks.EventID)
	if err != nil {
		return fmt.Errorf("host: cannot confirm that event %d of instance %q execution %d is missing: %w", lacks.EventID, lacks.Instance, lacks.ExecutionID, err)
	}
	if at.Stored || at.Record == nil || !holds(at.Record, lacks.ExecutionID) {
		return fmt.Errorf("host: instance %q execution %d was changed at event %d while it was read: %w", lacks.Instance, lacks.ExecutionID, lacks.EventID, store.ErrConflict)
	}
	confirmed := *lacks
	confirmed.Unconfirmed = false
	return &confirmed
}

// Unmoved checks that the execution has no events after those that were read; next is the first
// event id that was not read. It returns store.ErrConflict if there is a later event. Callers use
// it before an action that no conditional commit protects.
func (s *Source) Unmoved(ctx context.Context, instance string, execution, next int64) error {
	at, err := s.Store.ReadIsolated(ctx, instance, execution, next)
	if err == nil && at.Stored {
		err = store.ErrConflict
	}
	if err != nil {
		return fmt.Errorf("host: instance %q execution %d: cannot confirm that event %d does not exist: %w", instance, execution, next, err)
	}
	return nil
}
