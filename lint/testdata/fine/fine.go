// Package fine has nothing to find.
package fine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
)

type order struct {
	ID    string
	Items map[string]int
	Due   time.Time
}

type item struct {
	SKU string
	N   int
}

var (
	fulfil  = turnstile.NewOrchestration[order, string]("Fulfil")
	reserve = turnstile.NewActivity[item, string]("Reserve")

	errLate = errors.New("late")
	rates   = map[string]int{"EU": 20, "UK": 21}
)

// App joins them.
func App() *turnstile.App { return turnstile.NewApp(fulfil.Implement(implementation)) }

func implementation(ctx turnstile.Context, o order) (string, error) {
	ctx = ctx.WithLabel(o.ID)
	now := turnstile.Now(ctx)
	if now.After(o.Due) || rates["EU"] == 0 {
		return "", fmt.Errorf("order %s: %w", o.ID, errLate)
	}
	id := turnstile.UUID(ctx)
	turnstile.Logger(ctx).Info("received", "order", id)
	var reservations []turnstile.Future[string]
	for _, sku := range slices.Sorted(maps.Keys(o.Items)) {
		reservations = append(reservations, reserve.Start(ctx, item{strings.ToUpper(sku), o.Items[sku]}))
	}
	results, err := turnstile.Join(ctx, reservations...)
	if err != nil {
		return "", err
	}
	return strings.Join(results, ","), turnstile.Sleep(ctx, o.Due.Sub(now))
}
