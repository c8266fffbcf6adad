package mcpserver

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

type describeInput struct {
	Instance string `json:"instance" jsonschema:"id of the instance"`
	Code     bool   `json:"code,omitempty" jsonschema:"say at which lines the code waits; only where the server has the code, as beside turnstile dev"`
	Whole    bool   `json:"whole,omitempty" jsonschema:"include output, custom status and details of more than 2 KB"`
}

type attemptsInput struct {
	Instance  string `json:"instance" jsonschema:"id of the instance"`
	Event     int64  `json:"event" jsonschema:"event that scheduled the activity, as show_timeline has it"`
	Execution int64  `json:"execution,omitempty" jsonschema:"number of the execution; default the current one"`
}

type described struct {
	api.Instance
	// Advice says what to do about the problem.
	Advice string `json:"advice,omitempty"`
	// WaitingForMore operations are open that are not shown.
	WaitingForMore int `json:"waiting_for_more,omitempty"`
	// UntakenEarlier events are not shown.
	UntakenEarlier int    `json:"untaken_earlier,omitempty"`
	HistoryUnread  string `json:"history_unread,omitempty"`
}

func (s *server) describe(ctx context.Context, c *call, in describeInput) (any, error) {
	d, err := c.Describe(ctx, in.Instance)
	if err != nil {
		return nil, err
	}
	out := described{Instance: api.InstanceOf(&d)}
	if !in.Whole {
		out.Fold(foldOver)
	}
	if d.Problem != nil {
		out.Advice = s.Advice(d.Problem.Kind)
	}
	if in.Code {
		code, err := c.Code(ctx, in.Instance)
		if err != nil {
			return nil, err
		}
		out.Code = &code
	}
	waiting, unread := c.Waiting(ctx, in.Instance)
	if unread != nil && d.Problem == nil {
		out.HistoryUnread = s.Explain(unread)
	}
	out.WaitingFor, out.WaitingForMore = operations(waiting.Open)
	out.UntakenEarlier = max(0, len(waiting.Untaken)-shownWaiting)
	out.Untaken = api.UntakenEventsOf(waiting.Untaken[out.UntakenEarlier:])
	return out, nil
}

// operations are what an instance waits for, and how many more there are.
func operations(open []client.PendingOperation) ([]api.PendingOperation, int) {
	more := max(0, len(open)-shownWaiting)
	shown := api.PendingOperationsOf(open[:len(open)-more])
	for i := range shown {
		if shown[i].Child != nil {
			shown[i].Child.Fold(foldOver)
		}
	}
	return shown, more
}

func (s *server) attempts(ctx context.Context, c *call, in attemptsInput) (any, error) {
	if in.Event < 1 || in.Execution < 0 {
		return nil, fmt.Errorf("event %d of execution %d: both are numbered from 1", in.Event, in.Execution)
	}
	return c.Attempts(ctx, in.Instance, in.Execution, in.Event)
}
