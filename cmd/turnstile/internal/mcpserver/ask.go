package mcpserver

import (
	"context"
	"maps"
	"slices"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

type stateInput struct {
	Instance string `json:"instance" jsonschema:"id of the instance"`
	Name     string `json:"name,omitempty" jsonschema:"name of the state; default all states"`
}

type queryInput struct {
	Instance string `json:"instance" jsonschema:"id of the instance"`
	Name     string `json:"name" jsonschema:"name of the query"`
	Input    any    `json:"input,omitempty" jsonschema:"input of the query, any JSON"`
}

func (s *server) states(ctx context.Context, c *call, in stateInput) (any, error) {
	d, err := c.Describe(ctx, in.Instance)
	if err != nil {
		return nil, err
	}
	if d.DecodeError != nil {
		return nil, d.DecodeError
	}
	shown := api.InstanceOf(&d).States
	if in.Name == "" {
		return map[string]any{"status": d.Status, "states": shown}, nil
	}
	one, ok := shown[in.Name]
	if !ok {
		return nil, &client.StateNotSetError{Instance: d.Instance, Orchestration: d.Name, Status: d.Status, Name: in.Name, Set: slices.Sorted(maps.Keys(d.States))}
	}
	return map[string]any{"status": d.Status, "states": map[string]api.State{in.Name: one}}, nil
}

func (s *server) query(ctx context.Context, c *call, in queryInput) (any, error) {
	input, err := c.payload("input")
	if err != nil {
		return nil, err
	}
	a, err := c.Query(ctx, client.QueryRequest{Instance: in.Instance, Name: in.Name, Input: input})
	if err != nil {
		return nil, views.NoAnswer(err)
	}
	return api.QueryAnswerOf(&a), nil
}
