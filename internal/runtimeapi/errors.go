//go:build unix

package runtimeapi

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// ErrClosed is returned by all methods of a closed Driver.
var ErrClosed = errors.New("runtimeapi: driver is closed")

// ErrRunning is returned by Restart if the process is still running.
var ErrRunning = errors.New("runtimeapi: process is still running: kill it before restarting it")

// FunctionError says that the function reported an error, as its answer to an
// invocation or in place of its start.
type FunctionError struct {
	// Payload as the function sent it: for aws-lambda-go a JSON object with
	// errorType, errorMessage and, for a panic, stackTrace.
	Payload []byte
	// Init is true where the function could not start.
	Init bool
}

func (e *FunctionError) Error() string {
	if e.Init {
		return fmt.Sprintf("runtimeapi: function did not start: %s", e.Payload)
	}
	return fmt.Sprintf("runtimeapi: function error: %s", e.Payload)
}

// ExitError says that the process ended before it answered, or before it asked
// for its first event.
type ExitError struct {
	// State that the process ended with.
	State *os.ProcessState
	// Output is the end of what it wrote.
	Output string
}

func (e *ExitError) Error() string {
	return fmt.Sprintf("runtimeapi: process %d ended without an answer (%s); the end of its output:\n%s", e.State.Pid(), e.State, e.Output)
}

// TimeoutError says that an invocation reached its deadline. Its process was
// killed, as Lambda does.
type TimeoutError struct {
	Deadline time.Time
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("runtimeapi: no answer by the deadline (%s); the process was killed", e.Deadline.Format(time.RFC3339Nano))
}
