package client

import (
	"context"
	"errors"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/exports"
	"github.com/turnstile-go/turnstile/store"
)

// History returns the events of an execution, in order; execution 0 is the
// current one. [*NotFoundError] if there is no record of the instance; empty for
// an execution that it never had.
//
// A [*store.CorruptError] is a history that is damaged: one that was met in the
// middle of a commit is read again first.
//
// Payloads are plain. What the client can't open stays sealed, and says in
// Event.Codec by what.
//
// The first event holds the instance's secret: [history.EncodeExport] leaves it
// out, for showing it to others.
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

// Export is History with whose it is and which events were committed together, for
// [history.EncodeExport]: what `turnstile history --export` prints.
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

// looks is how often a client reads what it may have met in the middle of a
// commit.
const looks = 3

// read reads an execution of an instance that was described as d, the current one
// if execution is 0. A record and a history are two reads: what a commit that was
// under way between them may explain is read again before it is called damaged.
func (c *Client) read(ctx context.Context, d Description, execution int64) ([]store.Turn, int64, error) {
	for n := 1; ; n++ {
		of := execution
		if of == 0 {
			of = d.ExecutionID
		}
		turns, err := c.cfg.Store.Read(ctx, d.Instance, of, 1)
		if err == nil && len(turns) == 0 && of == d.ExecutionID {
			err = &store.CorruptError{Instance: d.Instance, ExecutionID: of, EventID: 1, Unconfirmed: true, Reason: "the record names an execution that has no history"}
		}
		var corrupt *store.CorruptError
		if !errors.As(err, &corrupt) || !corrupt.Unconfirmed || n == looks {
			return turns, of, err
		}
		// Where changes are told of, everything is in one process, which meets
		// no commit in the middle.
		if c.cfg.Changed == nil && !c.pause(ctx, c.cfg.PollInterval, nil) {
			return nil, of, ctx.Err()
		}
		if d, err = c.Describe(ctx, d.Instance); err != nil {
			return nil, of, err
		}
	}
}
