package engine

import (
	"fmt"
	"time"
)

// WithCancel returns a context with its own scope, and a function that cancels the scope:
// operations that were started in it, or in scopes inside it, end with the cancelled
// error. The function returns an error where durable calls are not allowed, as
// Future.Cancel does.
func (c *Context) WithCancel() (*Context, func(reason string) error) {
	inner := c.inner(false)
	return inner, func(reason string) error {
		if _, err := c.x.enter("cancel", ""); err != nil {
			return err
		}
		c.x.run.given = true
		c.x.cancelScope(inner.scope, &CancelledError{What: "scope", Reason: reason})
		c.x.run.given = false
		return nil
	}
}

// inner returns a context with a scope inside that of c. On any goroutine other than the running
// code's, it returns a cancelled context, because no call is allowed there.
func (c *Context) inner(shielded bool) *Context {
	if !c.x.owned() {
		return &Context{x: c.x, scope: &scope{x: c.x, err: &CancelledError{What: "scope", Reason: "it was created outside the running orchestration"}}}
	}
	return &Context{x: c.x, scope: c.scope.child(shielded), headers: c.headers, label: c.label}
}

// WithTimeout is WithCancel with a timer of d, which belongs to the scope. When the timer
// fires, it cancels the scope in the same visit, before any code runs; the errors are
// then ErrTimeout.
func (c *Context) WithTimeout(d time.Duration) (*Context, func(reason string) error) {
	inner, cancel := c.WithCancel()
	timer := inner.Timer(d)
	if timer.state == open {
		timer.register(&wait{then: func() {
			if timer.state == done {
				c.x.cancelScope(inner.scope, &CancelledError{What: "scope", Timeout: true, Reason: fmt.Sprintf("the scope's timeout of %s was exceeded", d)})
			}
		}})
	}
	return inner, cancel
}

// Shield returns a context whose scope is not reached by cancellations of outer scopes,
// for clean-up.
func (c *Context) Shield() *Context {
	return c.inner(true)
}

// Release declares that no more operations will be started in the scope of this context, so that
// the scope is forgotten when nothing is open in it. The memory of a loop that creates scopes then
// does not grow. Release cancels nothing, and an operation that is started later still works.
func (c *Context) Release() {
	if !c.x.owned() {
		return
	}
	c.scope.over = true
	c.scope.forget()
}
