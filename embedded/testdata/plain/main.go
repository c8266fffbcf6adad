// Command plain runs an environment without the console: see console_test.go.
package main

import (
	"context"
	"os"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/embedded"
)

func main() {
	env, err := embedded.New(turnstile.NewApp())
	if err != nil {
		os.Exit(1)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if env.ConsoleURL() != "" || env.Run(ctx) != nil {
		os.Exit(1)
	}
}
