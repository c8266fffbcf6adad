package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
)

// agent lets the model call tools until it has an answer, or has spent its budget. Its work
// survives every crash: no recorded reply of the model is paid for twice, and no tool that has
// returned is called again.
func agent(ctx turnstile.Context, t Task) (Answer, error) {
	for t.Spent < t.Budget {
		reply, err := AskModel.Call(ctx, Conversation{Goal: t.Goal, Messages: t.Messages})
		if err != nil {
			return Answer{Spent: t.Spent}, err
		}
		t.Spent += reply.Tokens
		if len(reply.Calls) == 0 {
			return Answer{Text: reply.Text, Spent: t.Spent}, nil
		}
		t.Messages = append(t.Messages, Message{From: "model", Text: reply.Text})

		allowed := make([]bool, len(reply.Calls))
		for i, call := range reply.Calls {
			if allowed[i], err = allow(ctx, t, call); err != nil {
				return Answer{Spent: t.Spent}, err
			}
		}
		var begun []turnstile.Future[string]
		for i, call := range reply.Calls {
			if allowed[i] {
				begun = append(begun, UseTool.Start(ctx, call))
			}
		}
		results, err := turnstile.JoinSettled(ctx, begun...)
		if err != nil {
			return Answer{Spent: t.Spent}, err
		}
		for i, call := range reply.Calls {
			text := "a person has refused this call"
			if allowed[i] {
				text, results = textOf(results[0]), results[1:]
			}
			t.Messages = append(t.Messages, Message{From: "tool", Call: call.ID, Text: text})
		}

		if turnstile.Info(ctx).ContinueAsNewSuggested {
			return Answer{}, Agent.ContinueAsNew(ctx, t)
		}
	}
	return Answer{Spent: t.Spent, OutOfBudget: true}, nil
}

// textOf returns what the model reads. The model handles the failure of a tool.
func textOf(o turnstile.Outcome[string]) string {
	if o.Err != nil {
		return "the tool failed: " + o.Err.Error()
	}
	return o.Value
}

// allow reports whether a call is allowed. For a dangerous call it asks a person, who decides by
// raising the event. Without a decision in time the call is not allowed.
func allow(ctx turnstile.Context, t Task, call ToolCall) (bool, error) {
	if !dangerous(call.Tool) {
		return true, nil
	}
	// A status that is a string always encodes.
	_ = Status.Set(ctx, fmt.Sprintf("waiting for a decision on %s %s", call.Tool, call.Input))
	if _, err := AskPerson.Call(ctx, call); err != nil {
		return false, err
	}
	scope, done := turnstile.WithTimeout(ctx, time.Duration(t.DecideWithin)*time.Hour)
	for decision, err := range Decided.All(scope) {
		var undecodable *turnstile.DecodeError
		switch {
		case errors.Is(err, turnstile.ErrTimeout):
			return false, nil
		case errors.As(err, &undecodable):
			// This event is not a decision; wait for the next one.
		case err != nil:
			return false, err
		case decision.Call == call.ID:
			done("there is a decision")
			_ = Status.Set(ctx, "working")
			return decision.Approved, nil
		}
	}
	return false, scope.Err()
}
