package main

import (
	"time"

	"github.com/turnstile-go/turnstile"
)

// Declared once: names and types.
var (
	Approve = turnstile.NewOrchestration[Request, Result]("Approve")

	// Ask is completed by the person who is asked, with the token of the mail.
	Ask    = turnstile.NewActivity[Question, Decision]("Ask").With(steady)
	Remind = turnstile.NewActivity[Question, turnstile.None]("Remind").With(steady)
)

var steady = turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 5, InitialInterval: time.Second, MaxInterval: time.Minute})

// Request is what Approve starts with.
type Request struct {
	What   string `json:"what"`
	Amount int    `json:"amount"`
	// Approvers in the order in which they are asked.
	Approvers []string `json:"approvers"`
	// Reminders that a person gets, one a day, before the next one is asked.
	Reminders int `json:"reminders"`
}

// Question to one person.
type Question struct {
	Person string `json:"person"`
	What   string `json:"what"`
	Amount int    `json:"amount"`
	// Reminder is its number, from 1; 0 for the question itself.
	Reminder int `json:"reminder,omitempty"`
}

// Decision of one person.
type Decision struct {
	Approved bool   `json:"approved"`
	Reason   string `json:"reason,omitempty"`
}

// Result of Approve.
type Result struct {
	// Outcome: "approved", "refused" or "expired".
	Outcome string `json:"outcome"`
	// By whom; empty if nobody answered.
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
}
