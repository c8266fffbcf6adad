package main

import (
	"encoding/json"
	"time"

	"github.com/turnstile-go/turnstile"
)

// Declared once: names and types.
var (
	Agent = turnstile.NewOrchestration[Task, Answer]("Agent")

	AskModel = turnstile.NewActivity[Conversation, Reply]("AskModel").With(
		turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 6, InitialInterval: time.Second, MaxInterval: time.Minute, Jitter: 0.2}),
		turnstile.AttemptTimeout(2*time.Minute))
	UseTool = turnstile.NewActivity[ToolCall, string]("UseTool").With(
		turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 3, InitialInterval: time.Second}),
		turnstile.AttemptTimeout(10*time.Minute), turnstile.HeartbeatTimeout(time.Minute))
	AskPerson = turnstile.NewActivity[ToolCall, turnstile.None]("AskPerson").With(
		turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 6, InitialInterval: time.Second}))

	Decided = turnstile.NewEvent[Decision]("decided")
)

// Task is what Agent starts with, and goes on with.
type Task struct {
	Goal string `json:"goal"`
	// Budget in tokens.
	Budget int `json:"budget"`
	// DecideWithin is how long a person may take to decide, in hours.
	DecideWithin int `json:"decide_within"`

	// Messages and Spent are what went before.
	Messages []Message `json:"messages,omitempty"`
	Spent    int       `json:"spent,omitempty"`
}

// Message of a conversation.
type Message struct {
	// From is "user", "model", or "tool".
	From string `json:"from"`
	Text string `json:"text"`
	// Call that a tool's message answers.
	Call string `json:"call,omitempty"`
}

// Conversation is what the model gets.
type Conversation struct {
	Goal     string    `json:"goal"`
	Messages []Message `json:"messages"`
}

// Reply of the model: calls of tools, or, without any, the answer.
type Reply struct {
	Text   string     `json:"text"`
	Calls  []ToolCall `json:"calls,omitempty"`
	Tokens int        `json:"tokens"`
}

// ToolCall is what the model wants done.
type ToolCall struct {
	ID    string          `json:"id"`
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
}

// Decision of a person on a dangerous call.
type Decision struct {
	Call     string `json:"call"`
	Approved bool   `json:"approved"`
	By       string `json:"by"`
}

// Answer is what Agent ends with.
type Answer struct {
	Text  string `json:"text"`
	Spent int    `json:"spent"`
	// OutOfBudget says that it was stopped before the model was done.
	OutOfBudget bool `json:"out_of_budget,omitempty"`
}

// dangerous reports whether a person has to approve a call of the tool.
func dangerous(tool string) bool { return tool == "refund" }
