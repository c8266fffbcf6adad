// Package reading is what a turn reads of its instance: the record, and the histories
// of its executions, made plain. It tells what is damaged from what was only read at the
// wrong moment, and decides nothing else.
package reading

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/turnstile-go/turnstile/clock"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/store"
)

// Source is where views read.
type Source struct {
	Store    store.Store
	Codecs   *codec.Set
	Clock    clock.Clock
	Observer host.Observer
	Logger   *slog.Logger
}

// View returns what is known of an instance before anything is read.
func (s *Source) View(instance string) View { return View{source: s, Instance: instance} }

// View is what was read of an instance.
type View struct {
	source   *Source
	Instance string
	// Record as last known; nil where there is none. Described says that it
	// was read, and not only kept from before.
	Record    *store.Record
	Described bool
	// Current: the record is not older than the history that the turn goes by,
	// so that it has what that gave it.
	Current bool
	// Damaged: what its codec could not open was left out of the record.
	Damaged bool
	// histories that were read, by execution.
	histories map[int64][]store.Turn
}

// Describe reads the record; behind says that a history was read before it. Where its
// payloads are sealed by a codec that this build does not have, the error says so, and
// all else of the record is there.
func (v *View) Describe(ctx context.Context, behind bool) error {
	r, err := v.source.Store.Describe(ctx, v.Instance)
	switch {
	case errors.Is(err, store.ErrNotFound):
		v.Record, err = nil, nil
	case err != nil:
		return fmt.Errorf("host: record of instance %q: %w", v.Instance, err)
	default:
		err = v.open(ctx, &r)
		v.Record = &r
	}
	v.Described, v.Current = true, behind
	return err
}

// open makes a record plain. It is a projection of history: what is
// damaged in it is left out, and written anew when it changes.
func (v *View) open(ctx context.Context, r *store.Record) error {
	err := v.source.Codecs.OpenRecord(r)
	if err != nil && !edge.MissesCodec(err) {
		v.source.Logger.WarnContext(ctx, "status and output of the record left out", "instance", r.Instance, "error", err)
		r.CustomStatus, r.Output, r.Codec, v.Damaged = nil, nil, "", true
		return nil
	}
	return err
}

// Changed keeps what is known of the record up to date.
func (v *View) Changed(c *store.RecordChange) {
	if c == nil || c.Create == nil && v.Record == nil {
		return
	}
	var r store.Record
	if v.Record != nil {
		r = *v.Record
	}
	r = c.Apply(r)
	v.Record, v.Current = &r, v.Current || c.Create != nil
}

// Problem is the mark that the record has; nil for none.
func (v *View) Problem() *store.Problem {
	if v.Record == nil {
		return nil
	}
	return v.Record.Problem
}

// Held reports whether the id is that of a purged instance, and not free yet.
func (v *View) Held() bool {
	return v.Record != nil && v.Record.Purged && !v.Record.Free(v.source.Clock.Now())
}

// FirstExecution of the instance; 0 if that is not known.
func (v *View) FirstExecution() int64 {
	if v.Record != nil {
		return v.Record.FirstExecution
	}
	return 0
}
