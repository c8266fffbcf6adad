package mcpserver

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

type describeInput struct {
	Instance string `json:"instance" jsonschema:"id of the instance"`
	Code     bool   `json:"code,omitempty" jsonschema:"return the lines at which the code waits; only if the server has the code, such as with turnstile dev"`
	Whole    bool   `json:"whole,omitempty" jsonschema:"include output, states and details larger than 2 KB"`
}

type attemptsInput struct {
	Instance  string `json:"instance" jsonschema:"id of the instance"`
	Event     int64  `json:"event" jsonschema:"event that scheduled the activity; see show_timeline"`
	Execution int64  `json:"execution,omitempty" jsonschema:"number of the execution; default the current one"`
}

type described struct {
	api.Instance
	// Advice describes how to fix the problem.
	Advice string `json:"advice,omitempty"`
	// PendingMore is the number of pending operations that are not shown.
	PendingMore int `json:"pending_more,omitempty"`
	// UnconsumedEarlier is the number of unconsumed events that are not shown.
	UnconsumedEarlier int `json:"unconsumed_earlier,omitempty"`
	// UpdatesMore is the number of open updates that are not shown.
	UpdatesMore   int    `json:"updates_more,omitempty"`
	HistoryUnread string `json:"history_unread,omitempty"`
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
	waiting, unread := c.Pending(ctx, in.Instance)
	if unread != nil && d.Problem == nil {
		out.HistoryUnread = s.Explain(unread)
	}
	paused, _ := c.PausedQueues(ctx) // Without permission to read the pauses, all else is still returned.
	if out.PendingOperations, out.PendingMore, err = operations(c, waiting.Operations, paused); err != nil {
		return nil, err
	}
	untaken := waiting.UnconsumedEvents
	shown, err := fitLast(c, untaken, shownWaiting)
	out.UnconsumedEarlier = len(untaken) - shown
	out.UnconsumedEvents = untaken[out.UnconsumedEarlier:]
	if err != nil {
		return nil, err
	}
	shown, err = fit(c, waiting.Updates, shownWaiting)
	out.Updates, out.UpdatesMore = waiting.Updates[:shown], len(waiting.Updates)-shown
	return out, err
}

// operations returns the pending operations to show, and the number of those left out.
func operations(c *call, open []client.PendingOperation, paused []api.PausedQueue) ([]api.PendingOperation, int, error) {
	all := api.PendingOperationsOf(open, paused)
	for i := range all {
		if child := all[i].Child; child != nil {
			*child = bare(*child)
		}
	}
	shown, err := fit(c, all, shownWaiting)
	return all[:shown], len(all) - shown, err
}

// attemptList holds the newest attempts of an activity.
type attemptList struct {
	api.Attempts
	// AttemptsEarlier is the number of earlier attempts that are not shown.
	AttemptsEarlier int `json:"attempts_earlier,omitempty"`
}

func (s *server) attempts(ctx context.Context, c *call, in attemptsInput) (any, error) {
	if in.Event < 1 || in.Execution < 0 {
		return nil, fmt.Errorf("event is %d and execution is %d: both are numbered from 1", in.Event, in.Execution)
	}
	found, err := c.Attempts(ctx, in.Instance, in.Execution, in.Event)
	if err != nil {
		return nil, err
	}
	out := attemptList{Attempts: found}
	shown, err := fitLast(c, found.Attempts, len(found.Attempts))
	out.AttemptsEarlier = len(found.Attempts) - shown
	out.Attempts.Attempts = found.Attempts[out.AttemptsEarlier:]
	return out, err
}
