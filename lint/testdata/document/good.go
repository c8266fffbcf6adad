package document

import (
	"maps"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile"
)

type better struct{}

func (better) fulfil(ctx turnstile.Context, o Order) (Result, error) {
	o.ReceivedAt = turnstile.Now(ctx)
	o.Number = turnstile.UUID(ctx)
	turnstile.Logger(ctx).Info("received", "order", o.Number)
	for _, sku := range slices.Sorted(maps.Keys(o.Items)) {
		if _, err := Reserve.Call(ctx, Item{sku, o.Items[sku]}); err != nil {
			return Result{}, err
		}
	}
	return Result{}, turnstile.Sleep(ctx, time.Hour)
}
