// Command agent shows an agent: a model that calls tools, one of which a person has to approve. It
// needs nothing but Go, because the model is a script, and ends by itself:
//
//	go run ./examples/agent            its story, in virtual time
//	go run ./examples/agent -console   slowly, with the console, until Ctrl-C
package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/story"
)

func main() { sample.Main() }

var sample = story.Sample{Name: "agent", Pace: 20 * time.Second, Tell: tell}

// scripted are the model's replies in the story.
var scripted = script{
	{Text: "I look for the order first.", Tokens: 900, Calls: []ToolCall{{ID: "call-1", Tool: "search_orders", Input: json.RawMessage(`"Ada"`)}}},
	{Text: "Order 17 came broken, so I refund it.", Tokens: 1100, Calls: []ToolCall{{ID: "call-2", Tool: "refund", Input: json.RawMessage(`"order-17"`)}}},
	{Text: "Ada has her money back for order 17.", Tokens: 700},
}

// tell starts the agent, and lets Grace approve a refund five hours after she is asked.
func tell(ctx context.Context, t *story.Teller) error {
	s, err := t.New(func(s *story.Story) *turnstile.App { return app(s) })
	if err != nil {
		return err
	}
	run, err := client.Start(ctx, s.Client(), Agent, Task{Goal: "Ada's cup came broken", Budget: 10_000, DecideWithin: 24}, client.WithInstanceID("ticket-4"))
	if err != nil {
		return err
	}
	s.At(5*time.Hour, func() error {
		s.Say("Grace approves call-2")
		return client.Raise(ctx, s.Client(), Decided, run.Instance, Decision{Call: "call-2", Approved: true, By: "Grace"}, client.WithDeduplicationID("call-2"))
	})
	return s.Until(ctx, func(ctx context.Context) error {
		answer, err := run.Wait(ctx)
		if err == nil {
			s.Say("ticket-4 is done for %d tokens: %s", answer.Spent, answer.Text)
		}
		return err
	})
}

// app returns the application with services that print what they do.
func app(s *story.Story) *turnstile.App {
	spoken := services{
		model: told{scripted, s},
		tools: map[string]tool{
			"search_orders": searchOrders([][]string{{"order-3"}, {"order-17"}}),
			"refund": func(_ context.Context, input json.RawMessage) (string, error) {
				s.Slowly("refund %s: done", input)
				return "refunded", nil
			},
		},
		notify: func(_ context.Context, call ToolCall) error {
			s.Say("Grace is asked whether to %s %s", call.Tool, call.Input)
			return nil
		},
	}
	return turnstile.NewApp(Agent.Implement(agent), spoken.activities())
}

// told is a model that prints its conversation.
type told struct {
	model
	story *story.Story
}

func (m told) Reply(ctx context.Context, c Conversation) (Reply, error) {
	reply, err := m.model.Reply(ctx, c)
	if last := len(c.Messages) - 1; last >= 0 {
		m.story.Say("the tool says: %s", c.Messages[last].Text)
	}
	m.story.Slowly("the model says: %s", reply.Text)
	return reply, err
}
