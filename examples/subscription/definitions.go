package main

import (
	"time"

	"github.com/turnstile-go/turnstile"
)

// Declared once: names and types.
var (
	Subscribe = turnstile.NewOrchestration[Subscription, Summary]("Subscribe")

	Tax         = turnstile.NewActivity[Subscription, int]("Tax").With(steady)
	Charge      = turnstile.NewActivity[Bill, Receipt]("Charge").With(steady, turnstile.AttemptTimeout(30*time.Second))
	SendReceipt = turnstile.NewActivity[Receipt, turnstile.None]("SendReceipt").With(steady)
	Warn        = turnstile.NewActivity[Warning, turnstile.None]("Warn").With(steady)

	Changed = turnstile.NewEvent[Change]("changed")
)

// steady is for what is not there for a moment. A card that is declined is no
// such thing: the activity returns that as non-retryable, and dunning begins.
var steady = turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 5, InitialInterval: time.Second, MaxInterval: time.Minute})

// Subscription is what Subscribe starts with, and goes on with each month.
type Subscription struct {
	Customer string `json:"customer"`
	Plan     string `json:"plan"`
	// Price of a month, in cents.
	Price int `json:"price"`
	// Month from 0, of Months in all.
	Month  int `json:"month"`
	Months int `json:"months"`
	// Paid so far, in cents.
	Paid int `json:"paid"`
}

// Bill of one month.
type Bill struct {
	Customer string `json:"customer"`
	Month    int    `json:"month"`
	Amount   int    `json:"amount"`
}

// Receipt of a payment.
type Receipt struct {
	Bill
	ID string `json:"id"`
}

// Warning that a bill is not paid.
type Warning struct {
	Bill
	// Number from 1.
	Number int `json:"number"`
}

// Change that the customer wants. A plan begins with the next month. What is left out stays.
type Change struct {
	Cancel bool   `json:"cancel,omitempty"`
	Plan   string `json:"plan,omitempty"`
	Price  int    `json:"price,omitempty"`
}

// Summary is what Subscribe ends with.
type Summary struct {
	// Ended: "over", "cancelled" or "unpaid".
	Ended  string `json:"ended"`
	Months int    `json:"months"`
	Paid   int    `json:"paid"`
}
