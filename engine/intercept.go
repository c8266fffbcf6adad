package engine

import "errors"

// Interceptors run around the code of an orchestration, on its main coroutine.
// Their own code records nothing: what it recorded would stand in the history of
// every running instance, and taking the interceptor out, or putting another in,
// would be nondeterminism for all of them.

// Intercept bars durable calls, because an interceptor's own code begins to run:
// each is a *MisuseError that names inside. It lasts until Proceed, or until the
// code ends. Off the running code's goroutine it does nothing.
func (c *Context) Intercept(inside string) {
	if c.x.owned() {
		c.x.intercepted, c.x.barred = inside, nil
	}
}

// Proceed lets durable calls through again: the interceptor's own code is over,
// or waits for what it runs around. It returns the first call that was barred
// since Intercept, nil for none, and the error of a durable call where this one
// does not come from the running code.
func (c *Context) Proceed() (barred *MisuseError, err error) {
	if !c.x.owned() {
		return nil, c.x.notOwned("next")
	}
	barred, c.x.intercepted, c.x.barred = c.x.barred, "", nil
	return barred, nil
}

// inInterceptor says in which interceptor's own code a panic was.
func (x *Execution) inInterceptor() string {
	if x.intercepted == "" {
		return ""
	}
	inside := x.intercepted
	x.intercepted = ""
	return " in " + inside
}

// AfterCommit has fn called once, by the process that commits the turn, when it
// has: if the code reaches this for the first time. It is not called on replay,
// nor for a turn that is never committed, nor if the process dies in between.
func (c *Context) AfterCommit(fn func()) {
	if c.x.firstTime() {
		c.x.run.logs = append(c.x.run.logs, Log{Func: fn, EventID: c.x.reached()})
	}
}

// ContinuesAsNew reports whether an error that orchestration code returns ends
// its execution by continuing as new.
func ContinuesAsNew(err error) bool {
	_, is := errors.AsType[*continueAsNew](err)
	return is
}
