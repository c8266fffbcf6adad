// Package smokeapp holds the orchestrations by which the smoke program
// (tools/smoke/) tells whether a deployed stack works: a chain of activities, a
// timer, and an external event; and one more, which waits for somebody outside.
package smokeapp

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
)

// Declared once: names and types.
var (
	// Chain calls Step as often as its input says, each with the result of the
	// one before, and returns the last result.
	Chain = turnstile.NewOrchestration[int, int]("SmokeChain")
	// Timer sleeps for a duration, such as "3m".
	Timer = turnstile.NewOrchestration[string, string]("SmokeTimer")
	// Echo waits for Signal and returns its data.
	Echo = turnstile.NewOrchestration[struct{}, string]("SmokeEcho")

	// Pending returns what somebody completes Answer with, by its token.
	Pending = turnstile.NewOrchestration[struct{}, string]("SmokePending")

	// Answer leaves its completion token in the details of a heartbeat, where
	// those find it who may read the activities table, and lets them complete it.
	Answer = turnstile.NewActivity[struct{}, string]("SmokeAnswer").With(turnstile.HeartbeatTimeout(time.Hour))

	// Step returns its input plus one.
	Step = turnstile.NewActivity[int, int]("SmokeStep")

	// Signal is what Echo waits for.
	Signal = turnstile.NewEvent[string]("smoke-signal")

	// Waits answers whether Echo waits for Signal.
	Waits = turnstile.NewQuery[turnstile.None, bool]("smoke-waits")
)

// Orchestrations returns what the process that runs orchestrations registers.
func Orchestrations() []turnstile.Component {
	return []turnstile.Component{Chain.Implement(chain), Timer.Implement(timer), Echo.Implement(echo), Pending.Implement(pending)}
}

// Activities returns what the process that runs activities registers.
func Activities() []turnstile.Component {
	return []turnstile.Component{Step.Implement(step), Answer.Implement(answer)}
}

func chain(ctx turnstile.Context, steps int) (int, error) {
	n := 0
	for range steps {
		var err error
		if n, err = Step.Call(ctx, n); err != nil {
			return n, err
		}
	}
	return n, nil
}

func timer(ctx turnstile.Context, duration string) (string, error) {
	d, err := time.ParseDuration(duration)
	if err != nil {
		return "", fmt.Errorf("duration of the timer: %w", err)
	}
	return duration, turnstile.Sleep(ctx, d)
}

func echo(ctx turnstile.Context, _ struct{}) (string, error) {
	waits := true
	Waits.Handle(ctx, func(turnstile.None) (bool, error) { return waits, nil })
	data, err := Signal.Wait(ctx)
	waits = false
	return data, err
}

func step(_ context.Context, n int) (int, error) { return n + 1, nil }

func pending(ctx turnstile.Context, in struct{}) (string, error) { return Answer.Call(ctx, in) }

func answer(ctx context.Context, _ struct{}) (string, error) {
	if err := turnstile.Heartbeat(ctx, turnstile.ActivityInfo(ctx).CompletionToken); err != nil {
		return "", err
	}
	return "", turnstile.ErrPending
}
