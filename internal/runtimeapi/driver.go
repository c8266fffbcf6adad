//go:build unix

package runtimeapi

import (
	"context"
	"errors"
	"io"
	"sync"
)

// Command says what to run.
type Command struct {
	// Path of the executable, and its arguments. Lambda gives none.
	Path string
	Args []string
	// Dir that it runs in; empty for the caller's.
	Dir string
	// Env is the whole environment, as "NAME=value", but for
	// AWS_LAMBDA_RUNTIME_API, which is added. Nothing of the caller's own
	// environment is passed on.
	Env []string
	// FunctionARN that the process is told with each invocation.
	FunctionARN string
	// Log, if not nil, gets what the process writes as it writes it, besides
	// Output. Its Write is never called by two goroutines at once for one
	// process.
	Log io.Writer
}

// Driver runs bootstraps until it is closed. Its methods may be called from
// several goroutines.
type Driver struct {
	mu         sync.Mutex
	bootstraps []*Bootstrap
	closed     bool
}

// NewDriver returns a driver that runs nothing yet.
func NewDriver() *Driver { return &Driver{} }

// Start starts a process and waits until it asks for its first event. It
// returns a *FunctionError if the process reports that it cannot start, an
// *ExitError if it ends, and the context's error if ctx ends first; nothing is
// left running then.
func (d *Driver) Start(ctx context.Context, c Command) (*Bootstrap, error) {
	b := newBootstrap(c)
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil, ErrClosed
	}
	d.bootstraps = append(d.bootstraps, b)
	d.mu.Unlock()
	if err := b.start(ctx); err != nil {
		return nil, err
	}
	return b, nil
}

// Close kills every process, and returns when all of them and all goroutines
// of the driver have ended. Invocations that run return an *ExitError. It can
// be called more than once.
func (d *Driver) Close() error {
	d.mu.Lock()
	d.closed = true
	bootstraps := d.bootstraps
	d.mu.Unlock()
	errs := make([]error, len(bootstraps))
	var wait sync.WaitGroup
	for i, b := range bootstraps {
		wait.Go(func() { errs[i] = b.close() })
	}
	wait.Wait()
	return errors.Join(errs...)
}
