// Command broken is the orchestrator function after a bad deployment: the code of an
// orchestration that worked before panics.
package main

import (
	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/awslambda"
	"github.com/turnstile-go/turnstile/internal/smokeapp"
)

func main() {
	awslambda.RunOrchestrator(turnstile.NewApp(smokeapp.Echo.Implement(func(turnstile.Context, struct{}) (string, error) {
		panic("the deployment is broken")
	})))
}
