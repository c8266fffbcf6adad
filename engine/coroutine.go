package engine

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/panics"
)

// Rule 10: one coroutine runs at a time. Coroutines that are no longer needed are unwound
// with runtime.Goexit, which user code cannot recover from.

// coroutine runs one branch of the code. The main function is the first.
type coroutine struct {
	x       *Execution
	number  int // order of start
	context *Context
	future  *Future   // nil for main
	origin  []uintptr // callers of a branch that has none of the author's code on its stack

	resume func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool

	queued  bool // in the ready heap
	blocked bool
	wait    wait

	probing  bool // resumed only to report where it waits
	location string

	query       bool // runs the handler of a query or the validator of an update
	stopping    bool // being unwound by stop
	unwinding   bool // durable calls fail and record nothing
	unwindCalls int
	exited      bool // user code called runtime.Goexit

	// refused is the error of a durable call that failed in a deferred function
	// during a panic or runtime.Goexit. If the panic never reaches the engine, it is
	// the reason why the execution is stuck.
	refused *StuckError

	value []byte
	err   error
	// next or failure is set from the error of the main function.
	next     *continueAsNew
	failure  *history.Failure
	panicked any
	stack    string
	// goroutine that the coroutine runs on; 0 before it first runs.
	goroutine uintptr
}

// maxUnwindCalls limits the durable calls of deferred functions during one unwinding, so that a
// loop that retries until a call succeeds also ends.
const maxUnwindCalls = 100

// spawn starts a coroutine. It first runs when its parent blocks.
func (x *Execution) spawn(ctx *Context, fn func(*Context) ([]byte, error)) *coroutine {
	c := &coroutine{x: x, number: x.started, context: ctx}
	x.started++
	x.coroutines = append(x.coroutines, c)
	c.resume, c.stop = iter.Pull(func(yield func(struct{}) bool) { c.body(yield, fn) })
	x.ready.push(c)
	return c
}

func (c *coroutine) body(yield func(struct{}) bool, fn func(*Context) ([]byte, error)) {
	c.yield = yield
	c.goroutine = goroutine()
	c.x.owner.Store(c.goroutine)
	returned := false
	defer func() {
		// After this goroutine has ended, the runtime may reuse its identity for a different
		// goroutine.
		c.x.owner.Store(0)
		if returned {
			return
		}
		// Read the stack here, because only inside the coroutine does it show where the panic was.
		if r := recover(); r != nil {
			c.panicked, c.stack = r, panics.Stack(string(debug.Stack()))
			return
		}
		if c.stopping {
			return
		}
		// runtime.Goexit by user code would continue in the engine's goroutine. Yield one
		// last time to return control; only stop returns from that yield.
		c.exited = true
		yield(struct{}{})
	}()
	c.value, c.err = fn(c.context)
	if c.err != nil && c.future == nil {
		// Done here because a method of the error may panic.
		if !errors.As(c.err, &c.next) {
			c.failure = failureOf(c.err)
		}
	}
	returned = true
}

// resume runs c until it blocks or ends.
func (x *Execution) resume(c *coroutine) {
	x.progress.Add(1)
	x.current = c
	x.owner.Store(c.goroutine)
	_, alive := c.resume()
	x.owner.Store(0)
	x.current = nil
	switch {
	case c.panicked != nil:
		x.drop(c)
		reason := &StuckError{Kind: StuckPanic, Message: fmt.Sprintf("panic%s: %s%s", x.inInterceptor(), x.panicText(c.panicked), at(panics.Place(c.stack))), Stack: c.stack}
		if before := panics.First(c.stack); before != "" {
			reason.Message += "; in a deferred function that ran because of a panic" + at(before)
		}
		x.fail(reason)
	case c.refused != nil && (c.exited || !alive):
		if !alive {
			x.drop(c)
		}
		x.fail(c.refused)
	case c.exited:
		x.fail(&StuckError{Kind: StuckPanic, Message: "the orchestration called runtime.Goexit" + x.inInterceptor() + " (t.FailNow calls it too); return an error instead"})
	case alive:
	case c == x.main:
		x.drop(c)
		x.endMain(c)
	default:
		x.drop(c)
		c.context.scope.over = true
		c.context.scope.forget()
		c.future.resolve(c.value, c.err)
	}
}

// drop removes a coroutine that has ended.
func (x *Execution) drop(c *coroutine) {
	i, found := slices.BinarySearchFunc(x.coroutines, c.number, func(c *coroutine, n int) int { return cmp.Compare(c.number, n) })
	if found {
		x.coroutines = slices.Delete(x.coroutines, i, i+1)
	}
}

// block parks the coroutine until its wait is over. It returns the error of a cancelled
// wait.
func (x *Execution) block(c *coroutine) error {
	// Check for a panic or Goexit only if a live wait blocks, because a replay never
	// blocks where the live turn did not.
	if x.cursor.live && unwindingNow() {
		c.wait.unregister()
		return x.refuse(c, &StuckError{Kind: StuckPanic, Message: "a deferred function waits at " + x.caller() + " during a panic or runtime.Goexit; wait after the function that recovers has returned"})
	}
	c.blocked = true
	for {
		if !c.yield(struct{}{}) {
			c.unwinding = true
			c.blocked = false
			runtime.Goexit()
		}
		if !c.probing {
			break
		}
		c.probing, c.location = false, caller(c.origin)
	}
	c.blocked = false
	c.wait.unregister()
	return c.wait.err
}

// refuse fails a durable call that cannot continue because its coroutine panics or exits, and all
// later durable calls of the coroutine. The execution is then stuck because of the panic, which
// came first. If the panic never reaches the engine, because it was recovered or a deferred
// function replaced it, the reason is err.
func (x *Execution) refuse(c *coroutine, err *StuckError) error {
	c.unwinding = true
	if c.refused == nil {
		stack := string(debug.Stack())
		if place := panics.First(stack); place != "" {
			err.Message += "; the panic was" + at(place)
		}
		err.Stack, c.refused = panics.Stack(stack), err
	}
	return ErrUnwinding
}

// giveUp notes why the running code cannot continue, and parks its coroutine.
func (x *Execution) giveUp(err *StuckError) error {
	if c := x.current; unwindingNow() {
		return x.refuse(c, err)
	}
	x.fail(err)
	return x.suspend()
}

// suspend parks the coroutine permanently, because the code cannot continue and must
// not see the reason. It returns only when the coroutine is unwound.
func (x *Execution) suspend() error {
	c := x.current
	for c.yield(struct{}{}) {
	}
	c.unwinding = true
	runtime.Goexit()
	return nil
}

// where resumes a blocked coroutine to find the place at which it waits.
func (c *coroutine) where() string {
	if !c.blocked {
		return "its start"
	}
	c.probing = true
	c.resume()
	return c.location
}

// unwindAll unwinds the parked coroutines, the last started first. Each stop needs its
// own goroutine, because it repeats the coroutine's Goexit in its caller.
func (x *Execution) unwindAll() {
	for i := len(x.coroutines) - 1; i >= 0; i-- {
		c := x.coroutines[i]
		c.stopping, c.unwinding = true, true
		x.current = c
		x.owner.Store(c.goroutine)
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.stop()
		}()
		<-done
		x.progress.Add(1)
	}
	x.owner.Store(0)
	x.current, x.coroutines = nil, nil
}
