package console

import (
	"context"
	"math"
	"strconv"

	"github.com/turnstile-go/turnstile/console/api"
	"github.com/turnstile-go/turnstile/history"
)

// Pages of a history.
const (
	defaultEvents = 500
	maxEvents     = 2000
)

func (h *handler) events(r *request) (api.Events, error) {
	out := api.Events{Instance: r.vars["id"], Events: []api.Event{}}
	from, limit := 1, defaultEvents
	var err error
	if v := r.query.Get("from"); v != "" {
		if from, err = number("from", v, 1, math.MaxInt32); err != nil {
			return out, err
		}
	}
	if v := r.query.Get("limit"); v != "" {
		if limit, err = number("limit", v, 1, maxEvents); err != nil {
			return out, err
		}
	}
	execution, events, err := h.history(r.Context(), r.vars["id"], r.vars["execution"])
	if err != nil {
		return out, err
	}
	out.ExecutionID, out.LastEventID = execution, events[len(events)-1].EventID
	for i := range events {
		e := &events[i]
		switch {
		case e.EventID < int64(from):
		case len(out.Events) == limit:
			out.NextFrom = e.EventID
			return out, nil
		default:
			out.Events = append(out.Events, api.EventOf(e, false))
		}
	}
	return out, nil
}

func (h *handler) event(r *request) (api.Event, error) {
	_, events, err := h.history(r.Context(), r.vars["id"], r.vars["execution"])
	if err != nil {
		return api.Event{}, err
	}
	id, err := number("event", r.vars["event"], 1, math.MaxInt32)
	if err != nil {
		return api.Event{}, err
	}
	for i := range events {
		if events[i].EventID == int64(id) {
			return api.EventOf(&events[i], true), nil
		}
	}
	return api.Event{}, api.Errorf(api.CodeNotFound, "the history of instance %q has no event %d: its last is %d", r.vars["id"], id, events[len(events)-1].EventID)
}

// history returns the events of an execution, "current" or a number from 1, and
// its number. At least one event is there.
func (h *handler) history(ctx context.Context, instance, execution string) (int64, []history.Event, error) {
	d, err := h.client.Describe(ctx, instance)
	if err != nil {
		return 0, nil, err
	}
	n := d.ExecutionID
	if execution != "current" {
		if n, err = strconv.ParseInt(execution, 10, 64); err != nil || n < 1 {
			return 0, nil, api.Errorf(api.CodeInvalid, `execution %q: "current", or a number from 1`, clip(execution, 50))
		}
	}
	events, err := h.client.History(ctx, instance, n)
	if err == nil && len(events) == 0 {
		err = api.Errorf(api.CodeNotFound, "instance %q has no history of execution %d: it has executions %d to %d", instance, n, d.FirstExecution, d.ExecutionID)
	}
	return n, events, err
}
