package orders

import (
	"time"

	"github.com/turnstile-go/turnstile"
)

// ship packs a parcel, waits until the carrier can take it, and hands it over.
func ship(ctx turnstile.Context, s Shipment) (Tracking, error) {
	parcel, err := Pack.Call(ctx, s)
	if err != nil {
		return Tracking{}, err
	}
	if err := turnstile.Sleep(ctx.WithLabel("until the pick-up"), time.Duration(parcel.PickUpAfterMS)*time.Millisecond); err != nil {
		return Tracking{}, err
	}
	tracking, err := HandOver.Call(ctx, parcel)
	if err != nil {
		return Tracking{}, err
	}
	turnstile.Logger(ctx).Info("handed over", "parcel", parcel.ID, "code", tracking.Code)
	return tracking, nil
}
