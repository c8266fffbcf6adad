package engine

// Promise returns a future that the code itself resolves: by it one branch
// waits for another. It belongs to no scope and records nothing. Only the first
// resolve has an effect; one that comes from outside the running orchestration
// has none.
func (c *Context) Promise() (f *Future, resolve func()) {
	f = &Future{x: c.x}
	return f, func() {
		if _, err := c.x.enter("resolve", ""); err == nil {
			f.resolve(nil, nil)
		}
	}
}
