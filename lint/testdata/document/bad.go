// Package document has the code of docs/lint.md: a test compares them.
package document

import (
	"log"
	"math/rand"
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile"
)

type Order struct {
	Number     string
	ReceivedAt time.Time
	Items      map[string]int
}

type Item struct {
	SKU string
	N   int
}

type (
	Result  struct{}
	Receipt struct{}
)

var (
	Reserve = turnstile.NewActivity[Item, Result]("Reserve")
	Charge  = turnstile.NewActivity[string, Receipt]("Charge")
)

var orders int

func fulfil(ctx turnstile.Context, o Order) (Result, error) {
	o.ReceivedAt = time.Now()           // clock // want `clock: `
	o.Number = strconv.Itoa(rand.Int()) // random // want `random: `
	log.Printf("order %s", o.Number)    // output // want `output: `
	for sku, n := range o.Items {       // maporder // want `maporder: `
		if _, err := Reserve.Call(ctx, Item{sku, n}); err != nil {
			return Result{}, err
		}
	}
	time.Sleep(time.Hour) // clock // want `clock: `
	orders++              // global // want `global: `
	return Result{}, nil
}

func charge(ctx turnstile.Context, items []string) {
	var err error
	for _, item := range items {
		turnstile.Go(ctx, func(ctx turnstile.Context) (Receipt, error) {
			var receipt Receipt
			receipt, err = Charge.Call(ctx, item) // capture: each branch writes err // want `capture: `
			return receipt, err
		})
	}
}
