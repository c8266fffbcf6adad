package workloads

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/turnstile-go/turnstile"
)

// Agency is the service that trips are booked with, kept in memory. As an activity
// runs at least once, and a late copy of it even after what followed, it takes each
// reservation once, and books none that was cancelled before. The zero value has no
// bookings; it is safe for concurrent use.
type Agency struct {
	mu    sync.Mutex
	trips map[string]*bookings
}

// bookings of one trip.
type bookings struct {
	// state of each part: booked, cancelled or not there.
	state map[string]string
	// log has what was done, in order: "book flight", "cancel flight".
	log []string
}

const (
	booked    = "booked"
	cancelled = "cancelled"
)

var errSoldOut = turnstile.WithCode(errors.New("sold out"), SoldOut)

// Book is the implementation of the activity: it returns the booking's number.
func (a *Agency) Book(_ context.Context, r Reservation) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	b := a.of(r.Trip)
	switch {
	case r.Journey.Lacks == r.Part || b.state[r.Part] == cancelled:
		return "", errSoldOut
	case b.state[r.Part] == "":
		b.state[r.Part] = booked
		b.log = append(b.log, "book "+r.Part)
	}
	return r.Trip + "/" + r.Part, nil
}

// Cancel is the implementation of the activity.
func (a *Agency) Cancel(_ context.Context, r Reservation) (struct{}, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	b := a.of(r.Trip)
	if b.state[r.Part] == booked {
		b.log = append(b.log, "cancel "+r.Part)
	}
	b.state[r.Part] = cancelled
	// Not whether there was a booking: the second time there is none.
	return struct{}{}, nil
}

// Check returns an error unless what was done for a trip is what has to be: all
// three parts were booked, or, if it lacks one, those before it booked and then
// cancelled, the last first. What was asked for again does not count, nor do
// cancels of what was not booked.
func (a *Agency) Check(trip, lacks string) error {
	var want, undo []string
	for _, part := range []string{"flight", "hotel", "car"} {
		if part == lacks {
			want = append(want, undo...)
			break
		}
		want, undo = append(want, "book "+part), append([]string{"cancel " + part}, undo...)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if got := a.of(trip).log; !slices.Equal(got, want) {
		return fmt.Errorf("the agency did %q for %s, want %q", got, trip, want)
	}
	return nil
}

func (a *Agency) of(trip string) *bookings {
	if a.trips == nil {
		a.trips = map[string]*bookings{}
	}
	if a.trips[trip] == nil {
		a.trips[trip] = &bookings{state: map[string]string{}}
	}
	return a.trips[trip]
}

// Forget forgets all trips.
func (a *Agency) Forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.trips = nil
}
