package engine

import "slices"

// wait is what a coroutine blocks on: a number of futures that must become ready. Each
// coroutine has one, reused for every wait.
type wait struct {
	c       *coroutine
	need    int // futures still missing
	futures []*Future
	scope   *scope // the scope in which the coroutine rests; nil while it does not rest
	err     error

	prev, next *wait // other waits in the scope

	// A wait that does not belong to a coroutine has one of the following instead.
	into  *collector // receives the index of a future that is ready
	place int
	then  func() // called in the visit that makes the future ready
}

// on registers the coroutine with the open futures in fs; need of them must become ready.
func (c *coroutine) on(s *scope, need int, fs []*Future) {
	w := &c.wait
	w.c, w.need, w.err = c, need, nil
	s.enter(w)
	w.futures = w.futures[:0]
	for _, f := range fs {
		if f.state == open {
			f.register(w)
			w.futures = append(w.futures, f)
		}
	}
}

func (w *wait) oneReady(x *Execution) {
	switch {
	case w.into != nil:
		w.into.gather(w.place)
		return
	case w.then != nil:
		w.then()
		return
	}
	w.need--
	if w.need == 0 {
		x.ready.push(w.c)
	}
}

// unregister removes the wait from its scope and from futures that are still open, so that the list
// of waits of a future does not grow with each select.
func (w *wait) unregister() {
	w.scope.leave(w)
	for i, f := range w.futures {
		f.forget(w)
		w.futures[i] = nil
	}
	w.futures = w.futures[:0]
}

func (f *Future) register(w *wait) {
	if f.wait == nil {
		f.wait = w
		return
	}
	f.waits = append(f.waits, w)
}

func (f *Future) forget(w *wait) {
	if f.wait == w {
		f.wait = nil
		return
	}
	for i, other := range f.waits {
		if other == w {
			f.waits = append(f.waits[:i], f.waits[i+1:]...)
			return
		}
	}
}

// awaited reports whether a coroutine is waiting for f now.
func (f *Future) awaited() bool {
	return f.wait.blocks() || slices.ContainsFunc(f.waits, (*wait).blocks)
}

// blocks reports whether a coroutine is blocked until the future is ready. A collector blocks no
// coroutine unless it is in next.
func (w *wait) blocks() bool { return w != nil && (w.into == nil || w.into.blocked != nil) }

// wake notifies all waits for f.
func (f *Future) wake() {
	first, others := f.wait, f.waits
	f.wait, f.waits = nil, nil
	if first != nil {
		first.oneReady(f.x)
	}
	for _, w := range others {
		w.oneReady(f.x)
	}
}
