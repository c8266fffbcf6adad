package mcpserver

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/timeline"
)

type timelineInput struct {
	Instance   string         `json:"instance" jsonschema:"id of the instance"`
	Executions int            `json:"executions,omitempty" jsonschema:"newest executions to include, 1 to 100; default 1"`
	At         string         `json:"at,omitempty" jsonschema:"show the state after this event of the current execution, or after EXECUTION.EVENT: 17, 3.17"`
	State      timeline.State `json:"state,omitempty" jsonschema:"only rows in this state: open, done, failed, cancelled or closed"`
	Calls      bool           `json:"calls,omitempty" jsonschema:"include system calls: times, ids, side effects, patches"`
	Skip       int            `json:"skip,omitempty" jsonschema:"rows to skip, to continue after an answer that left rows out"`
	Limit      int            `json:"limit,omitempty" jsonschema:"rows to return, 1 to 1000; default 100"`
	Cost       bool           `json:"cost,omitempty" jsonschema:"include the estimated bill"`
}

type timelineOf struct {
	Instance       string                  `json:"instance"`
	Executions     []api.TimelineExecution `json:"executions"`
	Earlier        int                     `json:"earlier,omitempty"`
	Rows           []api.TimelineRow       `json:"rows"`
	RowsLeftOut    int                     `json:"rows_left_out,omitempty"`
	NextSkip       int                     `json:"next_skip,omitempty"`
	Marks          []api.TimelineMark      `json:"marks,omitempty"`
	MarksLeftOut   int                     `json:"marks_left_out,omitempty"`
	Bill           *timeline.Bill          `json:"bill,omitempty"`
	RowsByState    map[timeline.State]int  `json:"rows_by_state"`
	ExecutionsMore int                     `json:"executions_left_out,omitempty"`
}

func (s *server) timeline(ctx context.Context, c *call, in timelineInput) (any, error) {
	executions, err := within("executions", in.Executions, 100, 1)
	if err != nil {
		return nil, err
	}
	limit, err := within("limit", in.Limit, 1000, 100)
	if err != nil {
		return nil, err
	}
	switch in.State {
	case "", "open", "done", "failed", "cancelled", "closed":
	default:
		return nil, fmt.Errorf("state %q: must be open, done, failed, cancelled or closed", in.State)
	}
	if in.Skip < 0 {
		return nil, fmt.Errorf("skip %d: must be 0 or more", in.Skip)
	}
	t, err := c.Timeline(ctx, in.Instance, executions, in.At)
	if err != nil {
		return nil, err
	}
	out := timelineOf{Instance: t.Instance, Earlier: t.Earlier, RowsByState: map[timeline.State]int{}}
	rows := []api.TimelineRow{}
	for i := range t.Rows {
		r := t.Rows[i]
		if r.Kind == "call" && !in.Calls {
			continue
		}
		if out.RowsByState[r.State]++; in.State == "" || in.State == r.State {
			rows = append(rows, r)
		}
	}
	rows = rows[min(in.Skip, len(rows)):]
	shown, err := fit(c, rows, limit)
	if err != nil {
		return nil, err
	}
	if out.Rows, out.RowsLeftOut = rows[:shown], len(rows)-shown; out.RowsLeftOut > 0 {
		out.NextSkip = in.Skip + shown
	}
	if shown, err = fit(c, t.Executions, len(t.Executions)); err != nil {
		return nil, err
	}
	out.Executions, out.ExecutionsMore = t.Executions[:shown], len(t.Executions)-shown
	if shown, err = fit(c, t.Marks, shownWaiting); err != nil {
		return nil, err
	}
	out.Marks, out.MarksLeftOut = t.Marks[:shown], len(t.Marks)-shown
	if in.Cost {
		out.Bill = t.Bill
	}
	return out, nil
}
