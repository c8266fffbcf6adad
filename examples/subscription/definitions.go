package main

import (
	"time"

	"github.com/turnstile-go/turnstile"
)

// Names and types are declared once.
var (
	Subscribe = turnstile.NewOrchestration[Subscription, Summary]("Subscribe")

	Tax         = turnstile.NewActivity[Subscription, int]("Tax").With(steady)
	Charge      = turnstile.NewActivity[Bill, Receipt]("Charge").With(steady, turnstile.AttemptTimeout(30*time.Second))
	SendReceipt = turnstile.NewActivity[Receipt, turnstile.None]("SendReceipt").With(steady)
	Warn        = turnstile.NewActivity[Warning, turnstile.None]("Warn").With(steady)

	Changed = turnstile.NewEvent[Change]("changed")
)

// steady is for services that are temporarily unavailable. A declined card is different: the
// activity returns that error as non-retryable, and dunning starts.
var steady = turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 5, InitialInterval: time.Second, MaxInterval: time.Minute})

// Subscription is the input of Subscribe, in each month's execution.
type Subscription struct {
	Customer string `json:"customer"`
	Plan     string `json:"plan"`
	// Price is the price of a month, in cents.
	Price int `json:"price"`
	// Month counts from 0; Months is the number of months.
	Month  int `json:"month"`
	Months int `json:"months"`
	// Paid is the amount paid so far, in cents.
	Paid int `json:"paid"`
}

// Bill is the bill of one month.
type Bill struct {
	Customer string `json:"customer"`
	Month    int    `json:"month"`
	Amount   int    `json:"amount"`
}

// Receipt is the receipt of a payment.
type Receipt struct {
	Bill
	ID string `json:"id"`
}

// Warning says that a bill is not paid.
type Warning struct {
	Bill
	// Number counts the warnings from 1.
	Number int `json:"number"`
}

// Change is a change that the customer requests. A new plan starts with the next month. Empty
// fields change nothing.
type Change struct {
	Cancel bool   `json:"cancel,omitempty"`
	Plan   string `json:"plan,omitempty"`
	Price  int    `json:"price,omitempty"`
}

// Summary is the output of Subscribe.
type Summary struct {
	// Ended is "over", "cancelled" or "unpaid".
	Ended  string `json:"ended"`
	Months int    `json:"months"`
	Paid   int    `json:"paid"`
}
