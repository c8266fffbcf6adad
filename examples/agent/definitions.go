package main

import (
	"encoding/json"
	"time"

	"github.com/turnstile-go/turnstile"
)

// Names and types are declared once.
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

	Status = turnstile.NewState[string]("status")
)

// Task is the input of Agent, in each of its executions.
type Task struct {
	Goal string `json:"goal"`
	// Budget is the maximum number of tokens.
	Budget int `json:"budget"`
	// DecideWithin is how long a person may take to decide, in hours.
	DecideWithin int `json:"decide_within"`

	// Messages and Spent come from the previous execution.
	Messages []Message `json:"messages,omitempty"`
	Spent    int       `json:"spent,omitempty"`
}

// Message is a message of a conversation.
type Message struct {
	// From is "user", "model", or "tool".
	From string `json:"from"`
	Text string `json:"text"`
	// Call is the id of the call that a tool's message answers.
	Call string `json:"call,omitempty"`
}

// Conversation is the input of the model.
type Conversation struct {
	Goal     string    `json:"goal"`
	Messages []Message `json:"messages"`
}

// Reply is a reply of the model: tool calls, or, without any, the answer.
type Reply struct {
	Text   string     `json:"text"`
	Calls  []ToolCall `json:"calls,omitempty"`
	Tokens int        `json:"tokens"`
}

// ToolCall is a call of a tool by the model.
type ToolCall struct {
	ID    string          `json:"id"`
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
}

// Decision is a person's decision on a dangerous call.
type Decision struct {
	Call     string `json:"call"`
	Approved bool   `json:"approved"`
	By       string `json:"by"`
}

// Answer is the output of Agent.
type Answer struct {
	Text  string `json:"text"`
	Spent int    `json:"spent"`
	// OutOfBudget is true if the budget was spent before the model was done.
	OutOfBudget bool `json:"out_of_budget,omitempty"`
}

// dangerous reports whether a person has to approve a call of the tool.
func dangerous(tool string) bool { return tool == "refund" }
