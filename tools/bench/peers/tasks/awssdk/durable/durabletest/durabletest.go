// Package durabletest declares what the tasks use of the test kit of AWS's SDK;
// see package durable.
package durabletest

import "github.com/aws/aws-durable-execution-sdk-go/durable"

const declared = "durabletest: only declared here; the SDK itself does it"

type (
	// LocalRunner runs a handler in this process.
	LocalRunner[I, O any] struct{ _ durable.Handler[I, O] }

	// TestResult is how an execution stands.
	TestResult struct{ Status string }

	// OpenCallback waits for its result.
	OpenCallback struct{ CallbackID string }
)

func NewLocalRunner[I, O any](handler durable.Handler[I, O], opts ...durable.HandlerOption) *LocalRunner[I, O] {
	panic(declared)
}

func (*LocalRunner[I, O]) RunUntilComplete(event I) (*TestResult, error) {
	panic(declared)
}

func (*LocalRunner[I, O]) OpenCallbacks() []OpenCallback { panic(declared) }

func (*LocalRunner[I, O]) TimeoutCallback(callbackID string) error { panic(declared) }

func ResultAs[O any](*TestResult) (O, error) { panic(declared) }
