package mcpserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

type compareInput struct {
	A          string `json:"a" jsonschema:"id of the first instance"`
	B          string `json:"b,omitempty" jsonschema:"id of the second instance; default the first"`
	AExecution int64  `json:"a_execution,omitempty" jsonschema:"execution of the first instance; default the current one"`
	BExecution int64  `json:"b_execution,omitempty" jsonschema:"execution of the second instance; default the current one"`
	All        bool   `json:"all,omitempty" jsonschema:"return each equal operation in a row of its own"`
	Skip       int    `json:"skip,omitempty" jsonschema:"rows to skip, to continue after an answer that left rows out"`
	Limit      int    `json:"limit,omitempty" jsonschema:"rows to return, 1 to 1000; default 100"`
}

type compared struct {
	api.Difference
	RowsLeftOut int `json:"rows_left_out,omitempty"`
	NextSkip    int `json:"next_skip,omitempty"`
}

func (s *server) compare(ctx context.Context, c *call, in compareInput) (any, error) {
	limit, err := within("limit", in.Limit, 1000, 100)
	switch {
	case err != nil:
		return nil, err
	case in.Skip < 0:
		return nil, fmt.Errorf("skip %d: must be 0 or more", in.Skip)
	case in.AExecution < 0 || in.BExecution < 0:
		return nil, fmt.Errorf("executions are %d and %d: executions are numbered from 1", in.AExecution, in.BExecution)
	case in.B == "":
		in.B = in.A
	}
	if in.A == in.B && in.AExecution == in.BExecution {
		return nil, errors.New("a and b are the same execution: name another instance b, or two different executions")
	}
	d, err := c.Difference(ctx, in.A, in.AExecution, in.B, in.BExecution, in.All)
	if err != nil {
		return nil, err
	}
	out := compared{Difference: d}
	rows := d.Rows[min(in.Skip, len(d.Rows)):]
	shown, err := fit(c, rows, limit)
	if err != nil {
		return nil, err
	}
	if out.Rows, out.RowsLeftOut = rows[:shown], len(rows)-shown; out.RowsLeftOut > 0 {
		out.NextSkip = in.Skip + shown
	}
	return out, nil
}
