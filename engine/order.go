package engine

// Rule 6: the history determines the order. Futures are numbered in the order in which
// visits make them ready; Select takes the lowest number, whatever the order of its
// arguments. If several coroutines can run, the coroutine that was started first runs next.

// readyHeap holds the coroutines that can run, lowest number on top.
type readyHeap []*coroutine

func (h *readyHeap) push(c *coroutine) {
	if c.queued {
		return
	}
	c.queued = true
	*h = append(*h, c)
	s := *h
	for i := len(s) - 1; i > 0; {
		parent := (i - 1) / 2
		if s[parent].number <= s[i].number {
			break
		}
		s[parent], s[i] = s[i], s[parent]
		i = parent
	}
}

func (h *readyHeap) pop() *coroutine {
	s := *h
	if len(s) == 0 {
		return nil
	}
	c := s[0]
	last := len(s) - 1
	s[0], s[last] = s[last], nil
	s = s[:last]
	*h = s
	for i := 0; ; {
		least := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(s) && s[child].number < s[least].number {
				least = child
			}
		}
		if least == i {
			break
		}
		s[i], s[least] = s[least], s[i]
		i = least
	}
	c.queued = false
	return c
}

// settle runs coroutines until all of them rest, the main function returns, or the code
// cannot continue.
func (x *Execution) settle() {
	for x.stuck == nil && x.end == nil {
		c := x.ready.pop()
		if c == nil {
			return
		}
		x.resume(c)
	}
}
