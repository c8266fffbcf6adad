package orders

import (
	"time"

	"github.com/turnstile-go/turnstile"
)

// Names and types are declared once. Importing them links no implementation.
var (
	Fulfil = turnstile.NewOrchestration[Order, Result]("Fulfil")
	Ship   = turnstile.NewOrchestration[Shipment, Tracking]("Ship")
	Remind = turnstile.NewOrchestration[Reminder, int]("Remind")

	ReserveStock = turnstile.NewActivity[Order, Reservation]("ReserveStock").With(steady)
	ReleaseStock = turnstile.NewActivity[Reservation, turnstile.None]("ReleaseStock").With(persistent)
	Charge       = turnstile.NewActivity[Order, Receipt]("Charge").With(steady, turnstile.AttemptTimeout(10*time.Second))
	Refund       = turnstile.NewActivity[Receipt, turnstile.None]("Refund").With(persistent)
	Pack         = turnstile.NewActivity[Shipment, Parcel]("Pack").With(steady)
	HandOver     = turnstile.NewActivity[Parcel, Tracking]("HandOver").With(steady)
	SendReminder = turnstile.NewActivity[Reminder, turnstile.None]("SendReminder").With(steady)

	Approved = turnstile.NewEvent[Approval]("approved")

	// Status says how far an order is. Lists show the state of this name.
	Status = turnstile.NewState[string]("status")
	// Arrival asks an order when it will arrive.
	Arrival = turnstile.NewQuery[Place, Estimate]("arrival")
	// ChangeAddress changes where an order is delivered, until it is handed to the warehouse.
	ChangeAddress = turnstile.NewUpdate[Address, Estimate]("change address")
)

var (
	steady = turnstile.Retry(turnstile.RetryPolicy{
		MaxAttempts: 4, InitialInterval: time.Second, MaxInterval: time.Minute, Jitter: 0.2,
	})
	// Compensations are retried for longer, because giving up leaves the order half undone.
	persistent = turnstile.Retry(turnstile.RetryPolicy{
		MaxAttempts: 20, InitialInterval: time.Second, MaxInterval: 10 * time.Minute, Jitter: 0.2,
	})
)

// Order is the input of Fulfil.
type Order struct {
	ID       string `json:"id"`
	Customer string `json:"customer"`
	Lines    []Line `json:"lines"`
	// Card is the card to charge. A card that ends in 0000 is declined.
	Card string `json:"card"`
	// ApproveWithin is how long the approval may take, such as "24h"; empty for a day.
	ApproveWithin string `json:"approve_within,omitempty"`
	// RemindEvery is the time between two reminders; empty for an hour.
	RemindEvery string `json:"remind_every,omitempty"`
	// Address to deliver to; empty for the one that the customer is known by.
	Address Address `json:"address,omitzero"`
}

// Address is where an order is delivered, and the input of ChangeAddress.
type Address struct {
	Street string `json:"street"`
	// Country is "DE", "FR" or "NO".
	Country string `json:"country"`
}

// Line is one line of an order.
type Line struct {
	SKU      string `json:"sku"`
	Quantity int    `json:"quantity"`
	// Price is the price of one, in cents.
	Price int64 `json:"price"`
}

// Total returns the total price, in cents.
func (o Order) Total() int64 {
	var total int64
	for _, l := range o.Lines {
		total += int64(l.Quantity) * l.Price
	}
	return total
}

// Result is the output of Fulfil.
type Result struct {
	// Status is "shipped" or "not approved".
	Status   string    `json:"status"`
	Charged  int64     `json:"charged"`
	Tracking *Tracking `json:"tracking,omitempty"`
	// By is the person who approved or rejected the order; empty if the approval timed out.
	By string `json:"by,omitempty"`
}

// Place is the input of Arrival.
type Place struct {
	// Country is "DE", "FR" or "NO".
	Country string `json:"country"`
}

// Estimate is the answer of Arrival and of ChangeAddress.
type Estimate struct {
	// Days is in how many days the parcel arrives at the latest.
	Days int `json:"days"`
}

// Approval is the data of the event "approved".
type Approval struct {
	By       string `json:"by"`
	Approved bool   `json:"approved"`
}

// Reservation is a reservation of stock.
type Reservation struct {
	ID    string `json:"id"`
	Lines []Line `json:"lines"`
}

// Receipt is the receipt of a payment.
type Receipt struct {
	ID     string `json:"id"`
	Amount int64  `json:"amount"`
}

// Shipment is the input of Ship.
type Shipment struct {
	OrderID     string      `json:"order_id"`
	Customer    string      `json:"customer"`
	Reservation Reservation `json:"reservation"`
	Address     Address     `json:"address,omitzero"`
}

// Parcel is a packed shipment.
type Parcel struct {
	ID       string `json:"id"`
	Customer string `json:"customer"`
	// PickUpAfterMS is when the carrier can take the parcel, in milliseconds from packing.
	PickUpAfterMS int64 `json:"pick_up_after_ms,omitempty"`
}

// Tracking is the tracking code of a parcel.
type Tracking struct {
	Carrier string `json:"carrier"`
	Code    string `json:"code"`
}

// Reminder is the input of Remind, in each of its executions.
type Reminder struct {
	OrderID string `json:"order_id"`
	// Every is the time between two reminders.
	Every string `json:"every"`
	// Sent is the number of reminders sent so far.
	Sent int `json:"sent"`
}
