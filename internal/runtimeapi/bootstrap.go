//go:build unix

package runtimeapi

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Bootstrap is one function's process, and the ones that Restart puts in its
// place. Its methods may be called from several goroutines.
type Bootstrap struct {
	command Command
	output  *output
	turn    chan struct{} // holds one token: the right to invoke or restart

	mu      sync.Mutex
	life    *life // the latest process
	closed  bool
	started int // invocations, for their ids
}

func newBootstrap(c Command) *Bootstrap {
	b := &Bootstrap{command: c, output: newOutput(c.Log), turn: make(chan struct{}, 1)}
	b.turn <- struct{}{}
	return b
}

// Invoke hands the process one event and returns its response, byte for byte.
//
// The error is a *FunctionError if the function reported one (a panic is one
// too; aws-lambda-go ends the process after it), an *ExitError if the process
// ended first or is not running, and a *TimeoutError if the deadline, which the
// process is told, passed. If ctx ends first the process is killed, since it is
// in the middle of something, and the context's error is returned. A second
// Invoke waits until the first has returned.
func (b *Bootstrap) Invoke(ctx context.Context, payload []byte, deadline time.Time) ([]byte, error) {
	if err := b.takeTurn(ctx); err != nil {
		return nil, err
	}
	defer b.giveTurn()
	b.mu.Lock()
	life := b.life
	b.started++
	id := fmt.Sprintf("00000000-0000-4000-8000-%012d", b.started)
	b.mu.Unlock()

	timeout := time.NewTimer(time.Until(deadline))
	defer timeout.Stop()
	call := newCall(id, payload, deadline, b.command.FunctionARN)
	select {
	case life.server.calls <- call:
	case <-life.exited:
		return nil, life.exitError()
	case <-ctx.Done():
		life.kill()
		return nil, ctx.Err()
	case <-timeout.C:
		life.kill()
		return nil, &TimeoutError{Deadline: deadline}
	}
	select {
	case answer := <-call.answered:
		return answer.payload, answer.err()
	case <-life.exited:
		select {
		case answer := <-call.answered: // it answered, then ended
			return answer.payload, answer.err()
		default:
			return nil, life.exitError()
		}
	case <-ctx.Done():
		life.kill()
		return nil, ctx.Err()
	case <-timeout.C:
		life.kill()
		return nil, &TimeoutError{Deadline: deadline}
	}
}

// Kill ends the process, and the children that stayed in its process group,
// with SIGKILL, as a crash of the machine would: no deferred function runs. It
// returns when the process is gone. An invocation that runs returns an
// *ExitError. Killing one that ended is no error.
func (b *Bootstrap) Kill() { b.current().kill() }

// Restart starts a new process in place of one that ended, under the
// conditions of Driver.Start; ErrRunning if it still runs.
func (b *Bootstrap) Restart(ctx context.Context) error {
	if err := b.takeTurn(ctx); err != nil {
		return err
	}
	defer b.giveTurn()
	select {
	case <-b.current().exited:
		return b.start(ctx)
	default:
		return ErrRunning
	}
}

// PID returns the number of the latest process.
func (b *Bootstrap) PID() int { return b.current().pid() }

// Exited returns a channel that is closed when the latest process has ended.
func (b *Bootstrap) Exited() <-chan struct{} { return b.current().exited }

// Output returns what all processes of this bootstrap wrote to stdout and
// stderr, in the order in which it came, at most the last MaxOutput bytes. What
// a process wrote just before its answer may come a moment after it; AwaitOutput
// waits for it. When Exited is closed, all of it is there.
func (b *Bootstrap) Output() string { return b.output.String() }

// AwaitOutput waits until a process of this bootstrap has written text, now or
// earlier. It returns an *ExitError if the process ends without it.
func (b *Bootstrap) AwaitOutput(ctx context.Context, text string) error {
	life := b.current()
	for {
		found, changed := b.output.look(text)
		if found {
			return nil
		}
		select {
		case <-changed:
		case <-life.exited:
			if found, _ := b.output.look(text); found { // all of it is in by now
				return nil
			}
			return life.exitError()
		case <-ctx.Done():
			return fmt.Errorf("runtimeapi: process %d did not write %q: %w", life.pid(), text, ctx.Err())
		}
	}
}

func (b *Bootstrap) current() *life {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.life
}

// start runs the process, the caller holding the turn or being alone.
func (b *Bootstrap) start(ctx context.Context) error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return ErrClosed
	}
	life, err := newLife(b.command, b.output)
	if err != nil {
		b.mu.Unlock()
		return err
	}
	b.life = life
	b.mu.Unlock()
	select {
	case <-life.server.ready:
		return nil
	case payload := <-life.server.initError:
		life.kill()
		return &FunctionError{Payload: payload, Init: true}
	case <-life.exited:
		select {
		case payload := <-life.server.initError: // it said why, then ended
			return &FunctionError{Payload: payload, Init: true}
		default:
			return life.exitError()
		}
	case <-ctx.Done():
		life.kill()
		return fmt.Errorf("runtimeapi: %s did not ask for an event: %w", b.command.Path, ctx.Err())
	}
}

func (b *Bootstrap) close() error {
	b.mu.Lock()
	b.closed = true
	life := b.life
	b.mu.Unlock()
	if life == nil {
		return nil
	}
	life.kill()
	return errors.Join(life.closeErr, b.output.writeError())
}

func (b *Bootstrap) takeTurn(ctx context.Context) error {
	select {
	case <-b.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *Bootstrap) giveTurn() { b.turn <- struct{}{} }
