package main

import (
	"time"

	"github.com/turnstile-go/turnstile"
)

// Names and types are declared once.
var (
	Approve = turnstile.NewOrchestration[Request, Result]("Approve")

	// Ask is completed by the person who is asked, with the token of the mail.
	Ask    = turnstile.NewActivity[Question, Decision]("Ask").With(steady)
	Remind = turnstile.NewActivity[Question, turnstile.None]("Remind").With(steady)

	Status = turnstile.NewState[string]("status")
)

var steady = turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 5, InitialInterval: time.Second, MaxInterval: time.Minute})

// Request is the input of Approve.
type Request struct {
	What   string `json:"what"`
	Amount int    `json:"amount"`
	// Approvers are the people who can approve, in the order in which they are asked.
	Approvers []string `json:"approvers"`
	// Reminders is how many reminders a person gets, one a day, before the next person is asked.
	Reminders int `json:"reminders"`
}

// Question is a question to one person.
type Question struct {
	Person string `json:"person"`
	What   string `json:"what"`
	Amount int    `json:"amount"`
	// Reminder is the number of the reminder, from 1; 0 for the question itself.
	Reminder int `json:"reminder,omitempty"`
}

// Decision is the decision of one person.
type Decision struct {
	Approved bool   `json:"approved"`
	Reason   string `json:"reason,omitempty"`
}

// Result is the output of Approve.
type Result struct {
	// Outcome is "approved", "refused" or "expired".
	Outcome string `json:"outcome"`
	// By is the person who decided; empty if no one answered.
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
}
