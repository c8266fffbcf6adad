// Package durable declares what the tasks use of AWS's durable execution SDK for
// Go, as its source of November 2026 has it, so that they are compiled where the
// SDK cannot be had. Nothing here does anything: every function panics.
package durable

import (
	"context"
	"errors"
	"time"
)

const declared = "durable: only declared here; the SDK itself does it"

// Context is what operations are called with.
type Context interface {
	context.Context
	durableContext()
}

// StepContext is what the code of a step is given.
type StepContext interface {
	context.Context
	Attempt() int
	stepContext()
}

type (
	// Void is the result of a step without one.
	Void struct{}

	// Serdes is how a value is stored.
	Serdes interface{ serdes() }

	StepOption     interface{ applyStep() }
	BatchOption    interface{ applyBatch() }
	CallbackOption interface{ applyCallback() }
	InvokeOption   interface{ applyInvoke() }
	HandlerOption  interface{ applyHandler() }

	// RetryAttempt is one that failed.
	RetryAttempt struct {
		_       [0]func()
		Err     error
		Attempt int
		Elapsed time.Duration
	}
	// RetryDecision is when to try again.
	RetryDecision struct {
		_     [0]func()
		Retry bool
		Delay time.Duration
	}
	RetryStrategy  func(RetryAttempt) RetryDecision
	JitterStrategy string

	// RetryConfig is an exponential backoff.
	RetryConfig struct {
		_            [0]func()
		MaxAttempts  int
		InitialDelay time.Duration
		MaxDelay     time.Duration
		BackoffRate  float64
		Jitter       JitterStrategy
	}

	// StepError is that of a step whose attempts are used up.
	StepError struct{ Name string }

	// BatchResult is what Map found.
	BatchResult[O any] struct{ _ [0]O }

	// Handler is a durable function.
	Handler[I, O any] func(ctx Context, event I) (O, error)
)

func (*StepError) Error() string { panic(declared) }

func (BatchResult[O]) Results() []O { panic(declared) }

var (
	ErrCallbackTimedOut = errors.New("durable: callback timed out")

	JSONSerdes Serdes
)

// Set when a program starts, so these do not panic.

func MustNewRetryStrategy(RetryConfig) RetryStrategy { return nil }

func WithRetry(RetryStrategy) StepOption { return nil }

func WithMaxConcurrency(int) BatchOption { panic(declared) }

func WithCallbackTimeout(time.Duration) CallbackOption { panic(declared) }

func WithCallbackSerdes(Serdes) CallbackOption { panic(declared) }

func Step[O any](ctx Context, name string, fn func(StepContext) (O, error), opts ...StepOption) (O, error) {
	panic(declared)
}

func Wait(ctx Context, name string, d time.Duration) error { panic(declared) }

func Map[I, O any](ctx Context, name string, items []I, fn func(ctx Context, item I, index int) (O, error), opts ...BatchOption) (BatchResult[O], error) {
	panic(declared)
}

func WaitForCallback[O any](ctx Context, name string, submitter func(ctx StepContext, callbackID string) error, opts ...CallbackOption) (O, error) {
	panic(declared)
}

func Invoke[O, I any](ctx Context, name, functionID string, input I, opts ...InvokeOption) (O, error) {
	panic(declared)
}
