package turnstiletest

// counter is a source of ids that can be read: 1, 2, 3, …
type counter struct{ n uint64 }

// Read fills p with the next number, its last byte last.
func (c *counter) Read(p []byte) (int, error) {
	c.n++
	n := c.n
	for i := len(p) - 1; i >= 0; i-- {
		p[i] = byte(n)
		n >>= 8
	}
	return len(p), nil
}

// draws is the randomness of orchestrators: the same all through a batch, and
// another for each other batch. So GUIDs, which hang on their event too, are
// the same when a batch comes again after a crash.
type draws struct{ boundary *boundary }

// Read fills p with a hash of the bodies of the batch that is handled.
func (d draws) Read(p []byte) (int, error) {
	sum := d.boundary.digest()
	return copy(p, sum[:]), nil
}

// middle is the randomness of workers: jitter is always half of what it can
// be, so that no order hangs on it, and no two claims have one token.
type middle struct{ counter *counter }

// Read fills p with one half in binary, and a number at its end.
func (m middle) Read(p []byte) (int, error) {
	n, err := m.counter.Read(p)
	p[0] = 0x80
	return n, err
}
