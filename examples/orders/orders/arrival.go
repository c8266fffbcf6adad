package orders

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
)

// arrival has the variables of Fulfil for the query Arrival and the update ChangeAddress.
type arrival struct {
	// address is where the order is delivered.
	address Address
	// shipping says that the warehouse has the address.
	shipping bool

	// approval is how long the approval may take; 0 once the order is approved.
	approval time.Duration
	// undone says that the order will not arrive: it was not approved, was cancelled, or failed.
	undone bool
}

// carrierDays is how long the carrier takes to a country.
var carrierDays = map[string]int{"DE": 1, "FR": 2, "NO": 4}

func (a *arrival) estimate(to Place) (Estimate, error) {
	days, known := carrierDays[to.Country]
	switch {
	case a.undone:
		return Estimate{}, errors.New("this order will not arrive: it was not approved, was cancelled, or failed")
	case !known:
		return Estimate{}, fmt.Errorf("the carrier does not deliver to %q, only to %s", to.Country, strings.Join(slices.Sorted(maps.Keys(carrierDays)), ", "))
	}
	const day = 24 * time.Hour
	return Estimate{Days: days + int((a.approval+day-1)/day)}, nil
}

// acceptAddress accepts an address that the carrier delivers to, unless the warehouse has the old one.
func (a *arrival) acceptAddress(to Address) error {
	if a.shipping {
		return errors.New("the order is already being packed")
	}
	if to.Street == "" {
		return errors.New("the address has no street")
	}
	_, err := a.estimate(Place{Country: to.Country})
	return err
}

// changeAddress changes the address, and answers when the order arrives there.
func (a *arrival) changeAddress(_ turnstile.Context, to Address) (Estimate, error) {
	a.address = to
	return a.estimate(Place{Country: to.Country})
}
