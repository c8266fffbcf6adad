package orchestrator

import (
	"context"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
)

// chain runs n activities one after another, each with the result of the previous one.
func chain(n int) engine.Func {
	return func(ctx *engine.Context, input []byte) ([]byte, error) {
		value := input
		for range n {
			out, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: value}))
			if err != nil {
				return nil, err
			}
			value = out
		}
		return value, nil
	}
}

// step appends a digit to a number.
func step(_ context.Context, input []byte) ([]byte, error) {
	return append(input[:len(input):len(input)], '1'), nil
}

func TestAnOrchestrationRunsFromItsStartToItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Chain", chain(2))
	w.activityFunc("Step", step)
	w.start("a", "Chain", "7")
	w.run()
	w.expectHistory("a", 1, "Started Act(Step) Done←2 Act(Step) Done←4 Completed")
	w.expectOutput("a", "711")
	w.expectQuiet()
	w.expectDead()
}
