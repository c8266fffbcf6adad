package engine

// Promise returns a future that the code resolves itself, so that one branch can wait for
// another. It belongs to no scope and records nothing. Only the first call of resolve has
// an effect, and only if it comes from the running orchestration.
func (c *Context) Promise() (f *Future, resolve func()) {
	f = &Future{x: c.x}
	return f, func() {
		if _, err := c.x.enter("resolve", ""); err == nil {
			f.resolve(nil, nil)
		}
	}
}
