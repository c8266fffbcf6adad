package otel_test

import (
	"context"
	"fmt"
	"log"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/otel"
)

// An application whose activities and clients create spans. In the two functions also give
// awslambda the options WithObserver(tel), WithPropagator(tel.Propagate) and WithFlush(tel.Flush).
func Example() {
	tel, err := otel.New(otel.Config{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithIDGenerator(otel.IDGenerator())), // and an exporter: sdktrace.WithBatcher
	})
	if err != nil {
		log.Fatal(err)
	}
	app := turnstile.NewApp(tel.Interceptor(), tax.Implement(func(context.Context, string) (string, error) { return "7 %", nil }))
	fmt.Println(app != nil)
	// Output: true
}
