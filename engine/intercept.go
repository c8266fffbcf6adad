package engine

import "errors"

// Interceptors run around the code of an orchestration, on its main coroutine. Their own
// code must record nothing. Otherwise adding or removing an interceptor would make every
// running instance nondeterministic.

// Intercept blocks durable calls while an interceptor's own code runs: each call
// returns a *MisuseError that names inside. The block lasts until Proceed is called
// or the code ends. On any other goroutine it does nothing.
func (c *Context) Intercept(inside string) {
	if c.x.owned() {
		c.x.intercepted, c.x.barred = inside, nil
	}
}

// Proceed allows durable calls again. Call it when the interceptor's own code has ended, or has
// started to wait for the code that it wraps. It returns the first call that was blocked since
// Intercept, or nil. If Proceed is not called from the running code, it returns an error.
func (c *Context) Proceed() (barred *MisuseError, err error) {
	if !c.x.owned() {
		return nil, c.x.notOwned("next")
	}
	barred, c.x.intercepted, c.x.barred = c.x.barred, "", nil
	return barred, nil
}

// inInterceptor returns the name of the interceptor whose own code panicked.
func (x *Execution) inInterceptor() string {
	if x.intercepted == "" {
		return ""
	}
	inside := x.intercepted
	x.intercepted = ""
	return " in " + inside
}

// AfterCommit calls fn once, after this process has committed the turn, if the code
// reaches this call for the first time. fn is not called on replay, for a turn that is
// never committed, or if the process dies after the commit.
func (c *Context) AfterCommit(fn func()) {
	if c.x.firstTime() {
		c.x.run.logs = append(c.x.run.logs, Log{Func: fn, EventID: c.x.reached()})
	}
}

// ContinuesAsNew reports whether an error that orchestration code returns continues its
// execution as new.
func ContinuesAsNew(err error) bool {
	_, is := errors.AsType[*continueAsNew](err)
	return is
}
