package awslambda_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/awslambda"
	"github.com/turnstile-go/turnstile/client"
)

// Order is the input of Fulfil, Receipt what Charge returns.
type (
	Order   struct{ ID string }
	Receipt struct{ Number string }
)

// Declared once, in a package that both mains import.
var (
	Charge = turnstile.NewActivity[Order, Receipt]("Charge")
	Fulfil = turnstile.NewOrchestration[Order, Receipt]("Fulfil")
)

func fulfil(ctx turnstile.Context, o Order) (Receipt, error) { return Charge.Call(ctx, o) }

type payments struct{ db *sql.DB }

func (p payments) charge(ctx context.Context, o Order) (Receipt, error) {
	var number string
	err := p.db.QueryRowContext(ctx, "select number from receipts where order_id = $1", o.ID).Scan(&number)
	return Receipt{Number: number}, err
}

// The orchestrator's main. It links no activity.
func ExampleRunOrchestrator() {
	main := func() {
		awslambda.RunOrchestrator(turnstile.NewApp(Fulfil.Implement(fulfil)))
	}
	_ = main
}

// The activity function's main, with what its activities need.
func ExampleRunActivities() {
	main := func() {
		db, err := sql.Open("pgx", "postgres://payments")
		if err != nil {
			log.Fatal(err)
		}
		awslambda.RunActivities(turnstile.NewApp(Charge.Implement(payments{db}.charge)))
	}
	_ = main
}

// A service that starts an instance and waits for it.
func ExampleNewClient() {
	fulfilOrder := func(ctx context.Context, o Order) error {
		c, err := awslambda.NewClient(ctx)
		if err != nil {
			return err
		}
		run, err := client.Start(ctx, c, Fulfil, o, client.WithInstanceID("order-"+o.ID))
		if err != nil {
			return err
		}
		receipt, err := run.Wait(ctx)
		if err != nil {
			return err
		}
		fmt.Println(receipt.Number)
		return nil
	}
	_ = fulfilOrder
}
