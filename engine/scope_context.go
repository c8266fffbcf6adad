package engine

import (
	"fmt"
	"time"
)

// WithCancel returns a context whose scope the function cancels: what was
// started in it, and in scopes inside it, ends with the cancelled error. Its
// error says why it could not be called here, as that of Future.Cancel.
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

// inner returns a context with a scope inside that of c. To a goroutine that is
// not the running code's own it gives one that is over, as no call can be made
// there.
func (c *Context) inner(shielded bool) *Context {
	if !c.x.owned() {
		return &Context{x: c.x, scope: &scope{x: c.x, err: &CancelledError{What: "scope", Reason: "it was made outside the running code of the orchestration"}}}
	}
	return &Context{x: c.x, scope: c.scope.child(shielded), headers: c.headers, label: c.label}
}

// WithTimeout is WithCancel with a timer of d, which belongs to the scope and
// cancels it when it fires, in that very visit: before any code runs. The
// errors are ErrTimeout then.
func (c *Context) WithTimeout(d time.Duration) (*Context, func(reason string) error) {
	inner, cancel := c.WithCancel()
	timer := inner.Timer(d)
	if timer.state == open {
		timer.register(&wait{then: func() {
			if timer.state == done {
				c.x.cancelScope(inner.scope, &CancelledError{What: "scope", Timeout: true, Reason: fmt.Sprintf("the time of its scope, %s, was over", d)})
			}
		}})
	}
	return inner, cancel
}

// Shield returns a context whose scope cancellations of outer scopes do not
// reach, for clean-up.
func (c *Context) Shield() *Context {
	return c.inner(true)
}

// Release says that nothing more is going to be started in the scope of this
// context, so that it is forgotten once nothing is open in it: a loop that makes
// scopes does not grow. It cancels nothing, and what is started in it all the
// same works.
func (c *Context) Release() {
	if !c.x.owned() {
		return
	}
	c.scope.over = true
	c.scope.forget()
}
