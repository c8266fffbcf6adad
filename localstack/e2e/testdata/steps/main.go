// Command steps is the activity function, which writes down each step that it takes. Its
// deployment may be broken: the second step of a chain then fails for good.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/awslambda"
	"github.com/turnstile-go/turnstile/internal/smokeapp"
)

// Set by the linker: the file that gets a line for each step, and what fails; empty for
// a deployment that works.
var file, broken string

func main() {
	awslambda.RunActivities(turnstile.NewApp(smokeapp.Step.Implement(step)))
}

func step(ctx context.Context, n int) (_ int, err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := fmt.Fprintf(f, "%s %d\n", turnstile.ActivityInfo(ctx).Instance, n); err != nil {
		return 0, err
	}
	if n == 1 && broken != "" {
		return 0, turnstile.NonRetryable(errors.New(broken))
	}
	return n + 1, nil
}
