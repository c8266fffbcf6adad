// Command query is the function that answers queries, with the sample
// application. An application of your own has a main like it.
package main

import (
	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/awslambda"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
	"github.com/turnstile-go/turnstile/internal/smokeapp"
)

func main() {
	awslambda.RunQueries(turnstile.NewApp(append(orders.Orchestrations(), smokeapp.Orchestrations()...)...))
}
