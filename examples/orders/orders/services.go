package orders

import (
	"context"
)

// Services are used by the activities. A real application has clients of its warehouse and its bank
// here; Simulated returns stand-ins. The key of a call is the same whenever the call is repeated.
type Services struct {
	Warehouse Warehouse
	Bank      Bank
	Carrier   Carrier
	Mail      Mail
}

// Warehouse keeps stock.
type Warehouse interface {
	Reserve(ctx context.Context, key string, lines []Line) (Reservation, error)
	Release(ctx context.Context, key string, r Reservation) error
}

// Bank moves money.
type Bank interface {
	Charge(ctx context.Context, key, card string, amount int64) (Receipt, error)
	Refund(ctx context.Context, key string, r Receipt) error
}

// Carrier moves parcels.
type Carrier interface {
	Pack(ctx context.Context, key string, s Shipment) (Parcel, error)
	HandOver(ctx context.Context, key string, p Parcel) (Tracking, error)
}

// Mail reaches the person who has to approve.
type Mail interface {
	Remind(ctx context.Context, key string, r Reminder) error
}
