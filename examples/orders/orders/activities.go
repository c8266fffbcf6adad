package orders

import (
	"context"

	"github.com/turnstile-go/turnstile"
)

// Activities returns the activities that the worker process registers, with the services that they
// use.
func Activities(s Services) []turnstile.Component {
	a := activities{s}
	return []turnstile.Component{
		ReserveStock.Implement(a.reserveStock),
		ReleaseStock.Implement(a.releaseStock),
		Charge.Implement(a.charge),
		Refund.Implement(a.refund),
		Pack.Implement(a.pack),
		HandOver.Implement(a.handOver),
		SendReminder.Implement(a.sendReminder),
	}
}

// activities run at least once, because a worker can die after the effect. So every call has a key
// that is the same for all attempts, by which a service recognizes a repeated call.
type activities struct{ services Services }

func (a activities) reserveStock(ctx context.Context, o Order) (Reservation, error) {
	return a.services.Warehouse.Reserve(ctx, key(ctx), o.Lines)
}

func (a activities) releaseStock(ctx context.Context, r Reservation) (turnstile.None, error) {
	return turnstile.None{}, a.services.Warehouse.Release(ctx, key(ctx), r)
}

func (a activities) charge(ctx context.Context, o Order) (Receipt, error) {
	return a.services.Bank.Charge(ctx, key(ctx), o.Card, o.Total())
}

func (a activities) refund(ctx context.Context, r Receipt) (turnstile.None, error) {
	return turnstile.None{}, a.services.Bank.Refund(ctx, key(ctx), r)
}

func (a activities) pack(ctx context.Context, s Shipment) (Parcel, error) {
	return a.services.Carrier.Pack(ctx, key(ctx), s)
}

func (a activities) handOver(ctx context.Context, p Parcel) (Tracking, error) {
	return a.services.Carrier.HandOver(ctx, key(ctx), p)
}

func (a activities) sendReminder(ctx context.Context, r Reminder) (turnstile.None, error) {
	return turnstile.None{}, a.services.Mail.Remind(ctx, key(ctx), r)
}

func key(ctx context.Context) string { return turnstile.ActivityInfo(ctx).IdempotencyKey }
