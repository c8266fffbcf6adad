package client

import (
	"context"
	"errors"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/exports"
	"github.com/turnstile-go/turnstile/store"
)

// History returns the events of an execution, in order; execution 0 is the current one. It returns no
// events for an execution that never existed.
//
// Errors: [*NotFoundError] if the instance has no record; [*store.CorruptError] if the history is
// damaged. A history that may have been read in the middle of a commit is read again before it is
// reported as damaged.
//
// Payloads are decoded. A payload that the client cannot decode stays encoded, and Event.Codec names
// its codec.
//
// The first event holds the instance's secret. [history.EncodeExport] leaves it out, so that the
// history can be shown to others.
func (c *Client) History(ctx context.Context, instance string, execution int64) ([]history.Event, error) {
	d, err := c.Describe(ctx, instance)
	if err != nil {
		return nil, err
	}
	turns, execution, err := c.read(ctx, d, execution)
	if err != nil {
		return nil, err
	}
	var events []history.Event
	for _, t := range turns {
		events = append(events, t.Events...)
	}
	return c.cfg.Codecs.OpenWhatItCan(instance, execution, events), nil
}

// Export returns the events of an execution, as [Client.History] does, with their instance and with
// the information which events were committed together, for [history.EncodeExport]. `turnstile
// history --export` prints it.
func (c *Client) Export(ctx context.Context, instance string, execution int64) (history.Export, error) {
	d, err := c.Describe(ctx, instance)
	if err != nil {
		return history.Export{}, err
	}
	turns, execution, err := c.read(ctx, d, execution)
	if err != nil {
		return history.Export{}, err
	}
	x := exports.New(d.Instance, execution, turns)
	x.Events = c.cfg.Codecs.OpenWhatItCan(instance, execution, x.Events)
	return x, nil
}

// looks is the maximum number of times that a client reads a history that may have been read in the
// middle of a commit.
const looks = 3

// read reads an execution of an instance that was described as d, the current one if execution is 0.
func (c *Client) read(ctx context.Context, d Description, execution int64) ([]store.Turn, int64, error) {
	return c.readBy(ctx, d, execution, func(d *Description, of int64) ([]store.Turn, error) {
		return c.cfg.Store.Read(ctx, d.Instance, of, 1)
	})
}

// readBy is read with a given function that reads all turns of an execution. The record and the
// history are two reads: if a commit between them may explain a contradiction, both are read again
// before the history is reported as damaged.
func (c *Client) readBy(ctx context.Context, d Description, execution int64, read func(d *Description, of int64) ([]store.Turn, error)) ([]store.Turn, int64, error) {
	for n := 1; ; n++ {
		of := execution
		if of == 0 {
			of = d.ExecutionID
		}
		if !d.has(of) {
			return nil, of, nil
		}
		turns, err := read(&d, of)
		if err == nil && len(turns) == 0 && of == d.ExecutionID {
			err = &store.CorruptError{Instance: d.Instance, ExecutionID: of, EventID: 1, Unconfirmed: true, Reason: "the record names an execution that has no history"}
		}
		var corrupt *store.CorruptError
		if !errors.As(err, &corrupt) || !corrupt.Unconfirmed || n == looks {
			return turns, of, err
		}
		// If changes are reported, everything is in one process, and a read never happens in the
		// middle of a commit.
		if c.cfg.Changed == nil && !c.pause(ctx, c.cfg.PollInterval, nil) {
			return nil, of, ctx.Err()
		}
		if d, err = c.Describe(ctx, d.Instance); err != nil {
			return nil, of, err
		}
	}
}
