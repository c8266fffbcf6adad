// Command activity is the function that runs activities, with the sample
// application. An application of your own has a main like it, and hands in
// what its activities need: here stand-ins, there a database and a bank.
package main

import (
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/awslambda"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
	"github.com/turnstile-go/turnstile/internal/smokeapp"
)

func main() {
	services := orders.Simulated(20*time.Millisecond, time.Second)
	awslambda.RunActivities(turnstile.NewApp(append(orders.Activities(services), smokeapp.Activities()...)...))
}
