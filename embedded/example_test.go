package embedded_test

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
)

// A wait of thirty days takes no time in virtual time.
func ExampleNew() {
	remind := turnstile.NewOrchestration[string, string]("Remind")
	app := turnstile.NewApp(remind.Implement(func(ctx turnstile.Context, name string) (string, error) {
		if err := turnstile.Sleep(ctx, 30*24*time.Hour); err != nil {
			return "", err
		}
		return "a month later: " + name, nil
	}))

	ctx, stop := context.WithCancel(context.Background())
	env, err := embedded.New(app, embedded.WithVirtualTime(time.Date(2030, 1, 1, 9, 0, 0, 0, time.UTC)))
	if err != nil {
		panic(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()

	run, err := client.Start(ctx, env.Client(), remind, "Ada")
	if err != nil {
		panic(err)
	}
	result, err := run.Wait(ctx)
	fmt.Println(result, err)

	stop()
	if err := <-ended; err != nil {
		panic(err)
	}
	// Output: a month later: Ada <nil>
}
