package workloads

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
)

// Trip books a flight, a hotel and a car, or nothing.
var (
	Trip = turnstile.NewOrchestration[Journey, []string]("Trip")

	Book = turnstile.NewActivity[Reservation, string]("Book").With(steady)
	// Cancel gives back what Book has booked. It bears that there is nothing.
	Cancel = turnstile.NewActivity[Reservation, struct{}]("Cancel").With(steady)
)

// steady tries again what may pass, and not what is sold out.
var steady = turnstile.Retry(turnstile.RetryPolicy{
	MaxAttempts: 5, InitialInterval: time.Second, MaxInterval: time.Minute, NonRetryableCodes: []string{SoldOut},
})

// SoldOut is the code of the error with which Book refuses.
const SoldOut = "sold-out"

// Journey is what Trip starts with.
type Journey struct {
	To string `json:"to"`
	// Lacks is the part that is sold out there: "flight", "hotel", "car"; empty if
	// none is.
	Lacks string `json:"lacks,omitempty"`
}

// Reservation of one part of a trip. Trip and Part tell it from all others, so a
// service knows one that it is asked for again.
type Reservation struct {
	Trip    string  `json:"trip"`
	Part    string  `json:"part"`
	Journey Journey `json:"journey"`
}

// trip returns the numbers of its bookings. What fails has all that was booked
// cancelled, the last first.
func trip(ctx turnstile.Context, j Journey) ([]string, error) {
	var saga turnstile.Saga
	var bookings []string
	for _, part := range []string{"flight", "hotel", "car"} {
		reservation := Reservation{Trip: turnstile.Info(ctx).Instance, Part: part, Journey: j}
		// Before it is booked: a booking that fails, by a timeout say, may have been
		// made all the same.
		turnstile.Undo(&saga, part, Cancel.Call, reservation)
		booking, err := Book.Call(ctx, reservation)
		if err != nil {
			return nil, saga.Compensate(ctx, fmt.Errorf("booking the %s: %w", part, err))
		}
		bookings = append(bookings, booking)
	}
	return bookings, nil
}
