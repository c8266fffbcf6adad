package demo

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/examples/orders/orders"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// take makes an activity take time in the story. Outside the story it returns at once.
func take(ctx context.Context, d time.Duration) {
	// Outside the test kit Sleep returns an error, which does not matter here.
	_ = turnstiletest.Sleep(ctx, d)
}

// paced wraps services so that their calls take time in the story.
type paced struct{ orders.Services }

func pacedServices(s orders.Services) orders.Services {
	p := paced{s}
	return orders.Services{Warehouse: p, Bank: p, Carrier: p, Mail: p}
}

func (p paced) Reserve(ctx context.Context, key string, lines []orders.Line) (orders.Reservation, error) {
	take(ctx, 400*time.Millisecond)
	return p.Warehouse.Reserve(ctx, key, lines)
}

func (p paced) Release(ctx context.Context, key string, r orders.Reservation) error {
	take(ctx, 250*time.Millisecond)
	return p.Warehouse.Release(ctx, key, r)
}

func (p paced) Charge(ctx context.Context, key, card string, amount int64) (orders.Receipt, error) {
	take(ctx, 1200*time.Millisecond)
	return p.Bank.Charge(ctx, key, card, amount)
}

func (p paced) Refund(ctx context.Context, key string, r orders.Receipt) error {
	take(ctx, 900*time.Millisecond)
	return p.Bank.Refund(ctx, key, r)
}

func (p paced) Pack(ctx context.Context, key string, s orders.Shipment) (orders.Parcel, error) {
	take(ctx, 4*time.Second)
	return p.Carrier.Pack(ctx, key, s)
}

func (p paced) HandOver(ctx context.Context, key string, parcel orders.Parcel) (orders.Tracking, error) {
	take(ctx, 1800*time.Millisecond)
	return p.Carrier.HandOver(ctx, key, parcel)
}

func (p paced) Remind(ctx context.Context, key string, r orders.Reminder) error {
	take(ctx, 150*time.Millisecond)
	return p.Mail.Remind(ctx, key, r)
}
