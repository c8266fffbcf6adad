package mcpserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

type historyInput struct {
	Instance  string `json:"instance" jsonschema:"id of the instance"`
	Execution int64  `json:"execution,omitempty" jsonschema:"number of the execution; default the current one"`
	From      int64  `json:"from,omitempty" jsonschema:"first event id to return; default 1"`
	Limit     int    `json:"limit,omitempty" jsonschema:"events to return, 1 to 1000; default 100"`
	Event     int64  `json:"event,omitempty" jsonschema:"return only this event, with its payload"`
}

func (s *server) history(ctx context.Context, c *call, in historyInput) (any, error) {
	limit, err := within("limit", in.Limit, 1000, 100)
	switch {
	case err != nil:
		return nil, err
	case in.Execution < 0:
		return nil, fmt.Errorf("execution is %d: executions are numbered from 1", in.Execution)
	case in.From < 0 || in.Event < 0:
		return nil, fmt.Errorf("from is %d and event is %d: events are numbered from 1", in.From, in.Event)
	}
	x, err := export(ctx, c, in.Instance, in.Execution)
	if err != nil {
		return nil, err
	}
	first, last := x.Events[0].EventID, x.Events[len(x.Events)-1].EventID
	from := max(in.From, first)
	if in.Event > 0 {
		from, limit = in.Event, 1
	}
	if from > last || from < first {
		return nil, fmt.Errorf("instance %q execution %d has no event %d: it has events %d to %d", x.Instance, x.ExecutionID, from, first, last)
	}
	out := api.Events{Instance: x.Instance, ExecutionID: x.ExecutionID, LastEventID: last, Events: eventsOf(x.Events, from, limit, in.Event > 0)}
	shown, err := fit(c, out.Events, limit)
	if err != nil {
		return nil, err
	}
	out.Events = out.Events[:shown]
	if next := out.Events[shown-1].EventID + 1; in.Event == 0 && next <= last {
		out.NextFrom = next
	}
	return out, nil
}

// export returns the history of an execution, 0 for the current one. It returns an error if the
// execution does not exist.
func export(ctx context.Context, c *call, instance string, execution int64) (history.Export, error) {
	d, err := c.Describe(ctx, instance)
	if err != nil {
		return history.Export{}, err
	}
	if execution == 0 {
		execution = d.ExecutionID
	}
	x, err := c.Export(ctx, instance, execution)
	if err == nil && len(x.Events) == 0 {
		err = errors.New(api.NoHistory(&d, execution))
	}
	return x, err
}

// eventsOf returns up to limit events, starting with event from. With whole, payloads are not
// shortened. Each payload is returned once: as a value if it is JSON.
func eventsOf(events []history.Event, from int64, limit int, whole bool) []api.Event {
	var out []api.Event
	for i := range events {
		if events[i].EventID < from || len(out) == limit {
			continue
		}
		e := api.EventOf(&events[i], whole)
		if e.Payload != nil && e.Payload.Value != nil {
			e.Payload.Raw = ""
		}
		out = append(out, e)
	}
	return out
}
