package engine

// Outcome is the result of one operation.
type Outcome struct {
	Value []byte
	Err   error
}

// foreign returns an error if one of fs is nil or belongs to a different execution.
func (x *Execution) foreign(call string, fs []*Future) error {
	for _, f := range fs {
		if f == nil || f.x != x {
			return foreignFuture(call)
		}
	}
	return nil
}

// Await waits for f and returns its result. If f is already ready, Await returns the
// result even in a cancelled scope.
func (c *Context) Await(f *Future) ([]byte, error) {
	x := c.x
	if f == nil || f.x != x {
		return nil, foreignFuture("Await")
	}
	co, err := x.enter("Await", "")
	if err != nil && f.refused {
		// The error of the refused call names the operation.
		return nil, f.err
	}
	if err != nil {
		return nil, err
	}
	if f.state == open {
		one := [1]*Future{f}
		if err := c.waitFor(co, 1, one[:]); err != nil {
			return nil, err
		}
	}
	o := f.give()
	return o.Value, o.Err
}

// waitFor blocks until this many (need) of the open futures in fs are ready.
func (c *Context) waitFor(co *coroutine, need int, fs []*Future) error {
	if err := c.scope.cancelled(); err != nil {
		return err
	}
	co.on(c.scope, need, fs)
	return c.x.block(co)
}

// waitAll blocks until all of fs are ready.
func (c *Context) waitAll(call string, fs []*Future) error {
	co, err := c.x.enter(call, "")
	if err != nil {
		return err
	}
	if err := c.x.foreign(call, fs); err != nil {
		return err
	}
	missing := 0
	for _, f := range fs {
		if f.state == open {
			missing++
		}
	}
	if missing == 0 {
		return nil
	}
	return c.waitFor(co, missing, fs)
}

// Join waits for all of fs and returns their values in argument order. If any failed, it
// returns the error that comes first in history. Join without arguments returns
// immediately.
func (c *Context) Join(fs ...*Future) ([][]byte, error) {
	if err := c.waitAll("Join", fs); err != nil {
		return nil, err
	}
	var failed *Future
	values := make([][]byte, len(fs))
	for i, f := range fs {
		values[i] = f.value
		if f.err != nil && (failed == nil || f.seq < failed.seq) {
			failed = f
		}
	}
	if failed != nil {
		return nil, failed.err
	}
	for _, f := range fs {
		f.given = true
	}
	return values, nil
}

// Settle waits for all of fs and returns the outcome of each in argument order. It
// returns an error only if the wait itself failed, because the scope was cancelled before
// all of them were ready.
func (c *Context) Settle(fs ...*Future) ([]Outcome, error) {
	if err := c.waitAll("Settle", fs); err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(fs))
	for i, f := range fs {
		if err := c.scope.outcome(f); err != nil {
			return nil, err
		}
		outcomes[i] = f.give()
	}
	return outcomes, nil
}
