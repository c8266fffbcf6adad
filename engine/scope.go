package engine

import "sort"

// scope is what is cancelled together: the operations started in it, and the
// scopes inside it.
type scope struct {
	x        *Execution
	parent   *scope
	children []*scope
	index    int // place among the parent's children
	listed   bool
	shielded bool
	// over is set when nothing more starts in it: its branch has returned.
	over bool
	err  *CancelledError

	first, last *Future // open futures, in the order of scheduling
}

func (s *scope) add(f *Future) {
	f.scope, f.prev = s, s.last
	if s.last != nil {
		s.last.next = f
	} else {
		s.first = f
	}
	s.last = f
}

func (s *scope) remove(f *Future) {
	if f.prev != nil {
		f.prev.next = f.next
	} else {
		s.first = f.next
	}
	if f.next != nil {
		f.next.prev = f.prev
	} else {
		s.last = f.prev
	}
	f.scope, f.prev, f.next = nil, nil, nil
	s.forget()
}

// child returns a new scope inside s. Inside a cancelled one it is cancelled
// from the start, unless shielded.
func (s *scope) child(shielded bool) *scope {
	c := &scope{x: s.x, parent: s, shielded: shielded}
	if !shielded && s.err != nil {
		c.err = s.err
		return c
	}
	c.index, c.listed = len(s.children), true
	s.children = append(s.children, c)
	return c
}

// forget lets go of scopes in which nothing is open and nothing can start, so
// that a loop that makes scopes does not grow.
func (s *scope) forget() {
	for p := s; p.listed && p.first == nil && len(p.children) == 0 && (p.over || p.err != nil); p = p.parent {
		siblings := p.parent.children
		last := len(siblings) - 1
		siblings[p.index] = siblings[last]
		siblings[p.index].index = p.index
		siblings[last] = nil
		p.parent.children = siblings[:last]
		p.listed = false
	}
}

// collect marks s and the scopes inside it as cancelled, shielded ones aside,
// and returns the operations open in them.
func (s *scope) collect(err *CancelledError, marked map[*scope]bool, futures []*Future) []*Future {
	if s.err == nil {
		s.err = err
	}
	marked[s] = true
	for f := s.first; f != nil; f = f.next {
		// A branch is not cancelled itself: its code goes on in a cancelled
		// scope and decides.
		if f.branch == nil {
			futures = append(futures, f)
		}
	}
	for _, c := range s.children {
		if !c.shielded {
			futures = c.collect(err, marked, futures)
		}
	}
	return futures
}

// cancelScope cancels what is open in s and in the scopes inside it, in the
// order of scheduling, and wakes the coroutines that wait in one of them.
func (x *Execution) cancelScope(s *scope, what, reason string) {
	if s == nil || s.err != nil {
		return
	}
	marked := make(map[*scope]bool)
	futures := s.collect(&CancelledError{What: what, Reason: reason}, marked, nil)
	sort.Slice(futures, func(i, j int) bool { return futures[i].id < futures[j].id })
	for _, f := range futures {
		f.cancel(reason)
	}
	for _, c := range x.coroutines {
		if c.blocked && !c.queued && marked[c.wait.scope] {
			c.wait.err = c.wait.scope.err
			x.ready.push(c)
		}
	}
	for s := range marked {
		s.forget()
	}
}
