package workloads

import (
	"github.com/turnstile-go/turnstile"
)

// A bank: each account is an instance that lives until it is closed, and takes
// postings one after the other; a transfer is an instance that posts to two of
// them. Account starts with a balance and returns the one that it was closed with.
// Transfer returns whether there was enough money.
var (
	Account  = turnstile.NewOrchestration[int, int]("Account")
	Transfer = turnstile.NewOrchestration[Order, bool]("Transfer")

	Posted   = turnstile.NewEvent[Posting]("posted")
	Answered = turnstile.NewEvent[Answer]("answered")
)

// Order is what is to be transferred, between instances of Account.
type Order struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Amount int    `json:"amount"`
}

// Posting asks an account to change its balance, or to close.
type Posting struct {
	// Amount to add; negative to take away.
	Amount int `json:"amount,omitempty"`
	// By whom: the instance that is answered.
	By string `json:"by,omitempty"`
	// Close ends the account. No transfer may be under way: an account that has
	// ended takes no posting, and answers none.
	Close bool `json:"close,omitempty"`
}

// Answer to a posting.
type Answer struct {
	// Done is set if the balance was changed. Otherwise there was not enough money.
	Done bool `json:"done"`
}

// account needs no lock and no list of what it has seen. Postings are taken one by
// one, each is recorded together with its answer, and an event that an
// orchestration raises is taken once, however often its message is delivered.
func account(ctx turnstile.Context, balance int) (int, error) {
	for posting, err := range Posted.All(ctx) {
		switch {
		case err != nil:
			continue // no Posting; or the account was cancelled, and the loop ends
		case posting.Close:
			return balance, nil
		}
		answer := Answer{Done: balance+posting.Amount >= 0}
		if answer.Done {
			balance += posting.Amount
		}
		if err := Answered.RaiseTo(ctx, posting.By, answer); err != nil {
			return balance, err
		}
		if turnstile.Info(ctx).ContinueAsNewSuggested {
			return 0, Account.ContinueAsNew(ctx, balance)
		}
	}
	return balance, ctx.Err()
}

// transfer takes the amount from one account and then gives it to the other. In
// between it is the transfer's, so a cancel does not reach it: the money would be
// lost.
func transfer(ctx turnstile.Context, o Order) (bool, error) {
	ctx = turnstile.WithoutCancel(ctx)
	if taken, err := post(ctx, o.From, -o.Amount); err != nil || !taken {
		return false, err
	}
	return post(ctx, o.To, o.Amount)
}

// post asks an account to add an amount, and waits for its answer.
func post(ctx turnstile.Context, account string, amount int) (bool, error) {
	if err := Posted.RaiseTo(ctx, account, Posting{Amount: amount, By: turnstile.Info(ctx).Instance}); err != nil {
		return false, err
	}
	answer, err := Answered.Wait(ctx)
	return answer.Done, err
}
