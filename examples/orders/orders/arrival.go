package orders

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// arrival has the variables of Fulfil from which it answers the query Arrival.
type arrival struct {
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
