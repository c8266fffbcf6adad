package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/turnstile-go/turnstile"
)

// model answers a conversation. A real one is a client of a provider.
type model interface {
	Reply(ctx context.Context, c Conversation) (Reply, error)
}

// tool does something for the model, and returns text for the model.
type tool func(ctx context.Context, input json.RawMessage) (string, error)

// services are used by the activities.
type services struct {
	model model
	tools map[string]tool
	// notify asks a person to decide.
	notify func(ctx context.Context, call ToolCall) error
}

func (s services) activities() turnstile.Components {
	return turnstile.Components{
		AskModel.Implement(s.model.Reply),
		UseTool.Implement(s.use),
		AskPerson.Implement(func(ctx context.Context, call ToolCall) (turnstile.None, error) {
			return turnstile.None{}, s.notify(ctx, call)
		}),
	}
}

func (s services) use(ctx context.Context, call ToolCall) (string, error) {
	use, known := s.tools[call.Tool]
	if !known {
		return "", turnstile.NonRetryable(fmt.Errorf("there is no tool %q", call.Tool))
	}
	return use(ctx, call.Input)
}

// searchOrders reads orders page by page, and continues where an earlier attempt stopped. Its
// heartbeat also returns an error when the orchestration no longer needs the result.
func searchOrders(pages [][]string) tool {
	return func(ctx context.Context, _ json.RawMessage) (string, error) {
		found, _, err := turnstile.LastHeartbeat[[]string](ctx)
		if err != nil {
			return "", err
		}
		for read := len(found); read < len(pages); read++ {
			found = append(found, pages[read]...)
			if err := turnstile.Heartbeat(ctx, found); err != nil {
				return "", err
			}
		}
		text, err := json.Marshal(found)
		return string(text), err
	}
}

// script is a model for tests and stories: it returns its replies in order, whatever the
// conversation.
type script []Reply

func (s script) Reply(_ context.Context, c Conversation) (Reply, error) {
	said := 0
	for _, m := range c.Messages {
		if m.From == "model" {
			said++
		}
	}
	if said >= len(s) {
		return Reply{}, turnstile.NonRetryable(fmt.Errorf("the script has no reply %d", said+1))
	}
	return s[said], nil
}
