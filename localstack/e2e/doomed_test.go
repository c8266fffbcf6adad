//go:build unix

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/turnstile-go/turnstile"
)

// An orchestration whose activity kills the worker on every delivery. No
// sample application should hold such a thing, so the test binary runs it.
var (
	doomed = turnstile.NewOrchestration[string, string]("Doomed")
	// What was begun is waited for, for as long as it may take: longer than a busy machine
	// takes from the start of an attempt to the death of its process.
	die = turnstile.NewActivity[string, string]("Die").With(turnstile.AttemptTimeout(5 * time.Second))
)

func sufferTheLoss(ctx turnstile.Context, in string) (string, error) {
	_, err := die.Call(ctx, in)
	var failed *turnstile.ActivityError
	if !errors.As(err, &failed) {
		return "", fmt.Errorf("want an *ActivityError, have %w", err)
	}
	return fmt.Sprintf("%s %s on attempt %d", failed.Activity, failed.Kind, failed.Attempt), nil
}

func killItself(ctx context.Context, _ string) (string, error) {
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		return "", err
	}
	<-ctx.Done()
	return "", ctx.Err()
}
