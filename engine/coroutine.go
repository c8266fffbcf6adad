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
)

// Rule 10: one coroutine runs at a time. A turn that ends unwinds its
// coroutines with runtime.Goexit, which user code can't recover.

// coroutine runs one branch of the code, the main function being the first.
type coroutine struct {
	x       *Execution
	number  int // order of start
	context *Context
	future  *Future   // of a branch; nil for main
	origin  []uintptr // the callers of a branch that runs no code of the author's own

	resume func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool

	queued  bool // in the ready heap
	blocked bool
	wait    wait

	probing  bool // asked only where it waits
	location string

	stopping    bool // being unwound by stop
	unwinding   bool // durable calls fail and record nothing
	unwindCalls int
	exited      bool // runtime.Goexit by user code

	// refused is why a deferred function could not go on while a panic or
	// runtime.Goexit was under way: the reason where no panic comes out.
	refused *StuckError

	value []byte
	err   error
	// next and failure are what the error of the main function is.
	next     *continueAsNew
	failure  *history.Failure
	panicked any
	stack    string
	// goroutine that it runs on; 0 before it first runs.
	goroutine uintptr
}

// maxUnwindCalls bounds the durable calls of deferred functions in one
// unwinding, so that a loop that retries until one succeeds ends too.
const maxUnwindCalls = 100

// spawn starts a coroutine; it first runs when its parent blocks.
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
		// When this goroutine has ended, another may get what told it apart.
		c.x.owner.Store(0)
		if returned {
			return
		}
		// Only here, inside the coroutine, does the stack show the place of
		// the panic.
		if r := recover(); r != nil {
			c.panicked, c.stack = r, AuthorsStack(string(debug.Stack()))
			return
		}
		if c.stopping {
			return
		}
		// runtime.Goexit by user code would go on in the engine's goroutine:
		// hand control back with a last yield, from which only stop returns.
		c.exited = true
		yield(struct{}{})
	}()
	c.value, c.err = fn(c.context)
	if c.err != nil && c.future == nil {
		// Here, because a method of the error may panic.
		if !errors.As(c.err, &c.next) {
			c.failure = FailureOf(c.err)
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
		reason := &StuckError{Kind: StuckPanic, Message: fmt.Sprintf("panic%s: %s%s", x.inInterceptor(), x.panicText(c.panicked), at(placeOf(c.stack))), Stack: c.stack}
		if before := panicPlace(c.stack); before != "" {
			reason.Message += "; in a deferred function that ran because of a panic" + at(before)
		}
		x.fail(reason)
	case c.refused != nil && (c.exited || !alive):
		if !alive {
			x.drop(c)
		}
		x.fail(c.refused)
	case c.exited:
		x.fail(&StuckError{Kind: StuckPanic, Message: "orchestration code called runtime.Goexit" + x.inInterceptor() + " (t.FailNow does so too); return an error instead"})
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

// drop forgets a coroutine that has ended.
func (x *Execution) drop(c *coroutine) {
	i, found := slices.BinarySearchFunc(x.coroutines, c.number, func(c *coroutine, n int) int { return cmp.Compare(c.number, n) })
	if found {
		x.coroutines = slices.Delete(x.coroutines, i, i+1)
	}
}

// block lets the coroutine rest until its wait is over. It returns the error
// of a wait that was cancelled.
func (x *Execution) block(c *coroutine) error {
	// Whether a panic or Goexit is under way is looked for only where a live
	// wait blocks: a replay never blocks where the live turn did not.
	if x.cursor.live && unwindingNow() {
		c.wait.unregister()
		return x.refuse(c, &StuckError{Kind: StuckPanic, Message: "a deferred function awaited at " + x.caller() + " while a panic or runtime.Goexit was under way; await after the recover has returned"})
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

// refuse is what becomes of a durable call that can't go on while a panic or
// runtime.Goexit is under way in its coroutine: it fails, and so do all that
// follow. The panic came first, so it is the reason why the code can't go on;
// err is, if the panic never comes out: it was recovered, or a deferred function
// did not let it.
func (x *Execution) refuse(c *coroutine, err *StuckError) error {
	c.unwinding = true
	if c.refused == nil {
		stack := string(debug.Stack())
		if place := panicPlace(stack); place != "" {
			err.Message += "; the panic was" + at(place)
		}
		err.Stack, c.refused = AuthorsStack(stack), err
	}
	return ErrUnwinding
}

// giveUp notes why the code that runs can't go on, and parks its coroutine.
func (x *Execution) giveUp(err *StuckError) error {
	if c := x.current; unwindingNow() {
		return x.refuse(c, err)
	}
	x.fail(err)
	return x.suspend()
}

// suspend parks the coroutine for good: the code can't go on, and it is not to
// see why. Only unwinding returns from it.
func (x *Execution) suspend() error {
	c := x.current
	for c.yield(struct{}{}) {
	}
	c.unwinding = true
	runtime.Goexit()
	return nil
}

// where asks a blocked coroutine for the place at which it waits.
func (c *coroutine) where() string {
	if !c.blocked {
		return "its start"
	}
	c.probing = true
	c.resume()
	return c.location
}

// unwindAll unwinds the parked coroutines, the last started first, each on a
// goroutine of its own: stop raises the coroutine's Goexit again in its caller.
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
