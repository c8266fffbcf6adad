package orders

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
)

// Simulated returns services without state that always answer the same: they derive their ids from
// the key of the call. A card that ends in 0000 is declined, and the stock of every item is 1,000.
//
// latency is the duration of each call, pickUp how long a parcel waits for the carrier.
func Simulated(latency, pickUp time.Duration) Services {
	s := simulated{latency: latency, pickUp: pickUp}
	return Services{Warehouse: s, Bank: s, Carrier: s, Mail: s}
}

type simulated struct{ latency, pickUp time.Duration }

func (s simulated) Reserve(ctx context.Context, key string, lines []Line) (Reservation, error) {
	if err := s.work(ctx); err != nil {
		return Reservation{}, err
	}
	for _, l := range lines {
		if l.Quantity > 1000 {
			err := fmt.Errorf("%d of %s wanted, 1000 in stock", l.Quantity, l.SKU)
			return Reservation{}, turnstile.NonRetryable(turnstile.WithCode(err, "out_of_stock"))
		}
	}
	return Reservation{ID: id("res", key), Lines: lines}, nil
}

func (s simulated) Release(ctx context.Context, _ string, _ Reservation) error { return s.work(ctx) }

func (s simulated) Charge(ctx context.Context, key, card string, amount int64) (Receipt, error) {
	if err := s.work(ctx); err != nil {
		return Receipt{}, err
	}
	if strings.HasSuffix(card, "0000") {
		return Receipt{}, turnstile.NonRetryable(turnstile.WithCode(errors.New("the card was declined"), "card_declined"))
	}
	return Receipt{ID: id("pay", key), Amount: amount}, nil
}

func (s simulated) Refund(ctx context.Context, _ string, _ Receipt) error { return s.work(ctx) }

func (s simulated) Pack(ctx context.Context, key string, shipment Shipment) (Parcel, error) {
	if err := s.work(ctx); err != nil {
		return Parcel{}, err
	}
	return Parcel{ID: id("parcel", key), Customer: shipment.Customer, PickUpAfterMS: s.pickUp.Milliseconds()}, nil
}

func (s simulated) HandOver(ctx context.Context, key string, _ Parcel) (Tracking, error) {
	if err := s.work(ctx); err != nil {
		return Tracking{}, err
	}
	return Tracking{Carrier: "Pigeon Post", Code: strings.ToUpper(id("PP", key))}, nil
}

func (s simulated) Remind(ctx context.Context, _ string, _ Reminder) error { return s.work(ctx) }

// work waits for the duration of a call.
func (s simulated) work(ctx context.Context) error {
	if s.latency <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(s.latency)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func id(prefix, key string) string {
	h := fnv.New32a()
	h.Write([]byte(key))
	return fmt.Sprintf("%s-%08x", prefix, h.Sum32())
}
