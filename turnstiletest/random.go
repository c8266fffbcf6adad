package turnstiletest

// counter is a source of readable ids: 1, 2, 3, …
type counter struct{ n uint64 }

// Read fills p with the next number, big-endian.
func (c *counter) Read(p []byte) (int, error) {
	c.n++
	n := c.n
	for i := len(p) - 1; i >= 0; i-- {
		p[i] = byte(n)
		n >>= 8
	}
	return len(p), nil
}

// draws is the random source of orchestrators: constant within a batch, and different for each
// batch. So GUIDs, which also depend on their event, are the same when a batch is redelivered after
// a crash.
type draws struct{ boundary *boundary }

// Read fills p with a hash of the bodies of the current batch.
func (d draws) Read(p []byte) (int, error) {
	sum := d.boundary.digest()
	return copy(p, sum[:]), nil
}

// middle is the random source of workers: jitter is always half of its maximum, so that the order
// does not depend on it, and no two claims have the same token.
type middle struct{ counter *counter }

// Read fills p with one half as a binary fraction, and a number at its end.
func (m middle) Read(p []byte) (int, error) {
	n, err := m.counter.Read(p)
	p[0] = 0x80
	return n, err
}
