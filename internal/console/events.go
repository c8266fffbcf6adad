package console

import (
	"context"
	"math"
	"strconv"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/store"
)

// Pages of a history.
const (
	defaultEvents = 500
	maxEvents     = 2000
)

func (h *handler) events(r *request) (api.Events, error) {
	out := api.Events{Instance: r.vars["id"], Events: []api.Event{}}
	from, err := r.number("from", math.MaxInt32, 1)
	if err != nil {
		return out, err
	}
	limit, err := r.number("limit", maxEvents, defaultEvents)
	if err != nil {
		return out, err
	}
	x, err := h.execution(r.Context(), r.vars["id"], r.vars["execution"])
	if err != nil {
		return out, err
	}
	out.ExecutionID, out.LastEventID = x.number, x.last()
	events := x.events(int64(from), limit+1)
	if len(events) > limit {
		out.NextFrom, events = events[limit].EventID, events[:limit]
	}
	for _, e := range h.open(x, events) {
		out.Events = append(out.Events, api.EventOf(&e, false))
	}
	return out, nil
}

func (h *handler) event(r *request) (api.Event, error) {
	x, err := h.execution(r.Context(), r.vars["id"], r.vars["execution"])
	if err != nil {
		return api.Event{}, err
	}
	id, err := number("event", r.vars["event"], 1, math.MaxInt32)
	if err != nil {
		return api.Event{}, err
	}
	found := h.open(x, x.events(int64(id), 1))
	if len(found) == 0 || found[0].EventID != int64(id) {
		return api.Event{}, api.Errorf(api.CodeNotFound, "the history of instance %q has no event %d: its last event is %d", r.vars["id"], id, x.last())
	}
	return api.EventOf(&found[0], true), nil
}

// execution is one execution of an instance. It has at least one event.
type execution struct {
	instance string
	number   int64
	turns    []store.Turn
}

// execution reads an execution, "current" or a number from 1. If it was read before, only the new
// events are read.
func (h *handler) execution(ctx context.Context, instance, which string) (*execution, error) {
	d, err := h.client.Describe(ctx, instance)
	if err != nil {
		return nil, err
	}
	x := &execution{instance: instance, number: d.ExecutionID}
	if which != "current" {
		if x.number, err = strconv.ParseInt(which, 10, 64); err != nil || x.number < 1 {
			return nil, api.Errorf(api.CodeInvalid, `execution is %q: it must be "current" or a number from 1`, clip(which, 50))
		}
	}
	return x, h.readTurns(ctx, &d, x)
}

func (h *handler) readTurns(ctx context.Context, d *client.Description, x *execution) (err error) {
	if x.turns, err = h.turns.read(ctx, d, x.number); err == nil && len(x.turns) == 0 {
		err = api.Errorf(api.CodeNotFound, "%s", api.NoHistory(d, x.number))
	}
	return err
}

// last returns the id of the last event; 0 if there is none.
func (x *execution) last() int64 {
	if len(x.turns) == 0 {
		return 0
	}
	return x.turns[len(x.turns)-1].Last()
}

// events returns at most limit events from a given one on, as they are stored.
func (x *execution) events(from int64, limit int) []history.Event {
	var out []history.Event
	for i := range x.turns {
		if x.turns[i].Last() < from {
			continue
		}
		for _, e := range x.turns[i].Events {
			if e.EventID >= from && len(out) < limit {
				out = append(out, e)
			}
		}
		if len(out) == limit {
			break
		}
	}
	return out
}

// open returns events with their payloads decoded, if this process can decode them.
func (h *handler) open(x *execution, events []history.Event) []history.Event {
	return h.client.Codecs().OpenWhatItCan(x.instance, x.number, events)
}
