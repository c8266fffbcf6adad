//go:build unix

// Package e2e_test runs Turnstile on the emulators of localstack/: the
// deployed stack as users meet it, through the AWS CLI and the Go client; and
// real processes of the functions, several at once, that race for the same
// instances and are killed.
//
// It needs LocalStack with the template deployed; `make test` starts it.
package e2e_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/awslambda"
	"github.com/turnstile-go/turnstile/host"
)

// With this variable in its environment the test binary is a function: that of
// the orchestrations and activities in doomed_test.go.
const functionVariable = "E2E_FUNCTION"

func TestMain(m *testing.M) {
	switch function := os.Getenv(functionVariable); function {
	case "":
		goleak.VerifyTestMain(m)
	case "orchestrator":
		awslambda.RunOrchestrator(turnstile.NewApp(doomed.Implement(sufferTheLoss), crowd.Implement(gather)))
	case "activity":
		// A message that comes too early for the mark on its attempt does not wait for long.
		awslambda.RunActivities(turnstile.NewApp(die.Implement(killItself)), awslambda.WithSettings(host.Settings{Messages: host.MessageSettings{BackoffMax: 2 * time.Second}}))
	case "crowd":
		cfg, err := noting(context.Background())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		awslambda.RunActivities(turnstile.NewApp(pass.Implement(passThrough)), awslambda.WithAWSConfig(cfg))
	default:
		fmt.Fprintf(os.Stderr, "%s=%s is none of orchestrator, activity and crowd\n", functionVariable, function)
		os.Exit(2)
	}
}
