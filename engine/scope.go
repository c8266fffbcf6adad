package engine

import (
	"errors"
	"sort"
)

// scope groups operations that are cancelled together: those started in the scope itself and in the
// scopes inside it.
type scope struct {
	x        *Execution
	parent   *scope
	children []*scope
	index    int // index in the parent's children
	listed   bool
	shielded bool
	// over is set when nothing more can start in the scope because its branch has
	// returned.
	over bool
	// err is set if a cancellation reached this scope; cancelled also checks outer
	// scopes. Futures with a seq above since became ready after the cancellation.
	err   *CancelledError
	since int64

	first, last *Future // open futures, in the order of scheduling
	waiting     *wait   // waits of coroutines that rest in it
}

// cancelled returns the error of a cancelled scope, or nil. Cancellations do not reach a
// scope that was forgotten, so cancelled also checks the outer scopes.
func (s *scope) cancelled() *CancelledError {
	err, _ := s.cancellation()
	return err
}

func (s *scope) cancellation() (err *CancelledError, since int64) {
	for p := s; p != nil; p = p.parent {
		if p.err != nil {
			return p.err, p.since
		}
		if p.listed || p.shielded {
			return nil, 0
		}
	}
	return nil, 0
}

// outcome returns the error of a cancelled scope, unless f was ready before the cancellation. A
// cancellation makes the operations that it cancels ready, but a call that waits for the first or
// for all of several operations does not count that as an outcome (rule 8). The result is the same
// whether the call was already waiting or is made later.
func (s *scope) outcome(f *Future) error {
	err, since := s.cancellation()
	if err == nil || f.seq <= since {
		return nil
	}
	if own, ok := errors.AsType[*CancelledError](f.err); ok && own.Reason == err.Reason && own.Timeout == err.Timeout {
		return own // The error of f names the operation, as Await does.
	}
	return err
}

// list adds a forgotten scope to its parent's children again, because other code may
// still use the context of a branch that has returned.
func (s *scope) list() {
	if s.parent == nil || s.listed || s.cancelled() != nil {
		return
	}
	s.parent.list()
	s.index, s.listed = len(s.parent.children), true
	s.parent.children = append(s.parent.children, s)
}

func (s *scope) add(f *Future) {
	s.list()
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

// enter notes that a coroutine rests in s, so that a cancellation can find the coroutine.
func (s *scope) enter(w *wait) {
	s.list()
	w.scope, w.prev, w.next = s, nil, s.waiting
	if s.waiting != nil {
		s.waiting.prev = w
	}
	s.waiting = w
}

// leave undoes enter.
func (s *scope) leave(w *wait) {
	if w.prev != nil {
		w.prev.next = w.next
	} else {
		s.waiting = w.next
	}
	if w.next != nil {
		w.next.prev = w.prev
	}
	w.scope, w.prev, w.next = nil, nil, nil
	s.forget()
}

// child returns a new scope inside s. If s is cancelled, the new scope is cancelled from
// the start, unless it is shielded.
func (s *scope) child(shielded bool) *scope {
	c := &scope{x: s.x, parent: s, shielded: shielded}
	if !shielded {
		c.err, c.since = s.cancellation()
	}
	c.list()
	return c
}

// forget removes scopes in which nothing is open, nothing waits and nothing can start, so
// that a loop that creates scopes does not grow.
func (s *scope) forget() {
	for p := s; p.listed && p.first == nil && p.waiting == nil && len(p.children) == 0 && (p.over || p.err != nil); p = p.parent {
		siblings := p.parent.children
		last := len(siblings) - 1
		siblings[p.index] = siblings[last]
		siblings[p.index].index = p.index
		siblings[last] = nil
		p.parent.children = siblings[:last]
		p.listed = false
	}
}

// collect marks s and the scopes inside it as cancelled, except shielded ones, and
// returns the operations that are open in them.
func (s *scope) collect(err *CancelledError, reached *[]*scope, futures []*Future) []*Future {
	if s.err == nil {
		s.err, s.since = err, s.x.readySeq
	}
	*reached = append(*reached, s)
	for f := s.first; f != nil; f = f.next {
		// A branch is not cancelled itself: its code continues in a cancelled scope and
		// decides what to do.
		if f.branch == nil {
			futures = append(futures, f)
		}
	}
	for _, c := range s.children {
		if !c.shielded {
			futures = c.collect(err, reached, futures)
		}
	}
	return futures
}

// cancelScope cancels the open operations in s and in the scopes inside it, in the order
// of scheduling, and wakes the coroutines that wait in them. It visits nothing else, so
// the time to cancel many branches is linear.
func (x *Execution) cancelScope(s *scope, err *CancelledError) {
	if s == nil || s.cancelled() != nil {
		return
	}
	var reached []*scope
	futures := s.collect(err, &reached, nil)
	sort.Slice(futures, func(i, j int) bool { return futures[i].id < futures[j].id })
	for _, f := range futures {
		f.stop(err)
	}
	for _, s := range reached {
		for w := s.waiting; w != nil; w = w.next {
			if w.c.blocked && !w.c.queued {
				w.err = s.err
				x.ready.push(w.c)
			}
		}
		s.forget()
	}
}
