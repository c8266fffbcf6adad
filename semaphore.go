package turnstile

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
)

// Semaphore limits how many branches of one orchestration hold a permit at a time. Waiting branches
// get permits in order. It records nothing. Keep it in a variable of the orchestration, never in a
// package variable.
type Semaphore struct {
	size, taken int
	waiting     []*permit
}

// permit is a waiting Acquire.
type permit struct {
	n       int
	op      *engine.Future
	grant   func()
	granted bool
	gone    bool // the branch no longer waits
}

// NewSemaphore returns a semaphore with n permits. An n below 1 is a [*MisuseError] that makes the
// instance stuck.
func NewSemaphore(n int) *Semaphore {
	if n < 1 {
		panic(&MisuseError{Call: "NewSemaphore", Problem: fmt.Sprintf("a semaphore needs at least one permit, not %d", n)})
	}
	return &Semaphore{size: n}
}

// Acquire waits for n permits and takes them. It records nothing.
//
// Errors: [*InvalidArgumentError] for n below 1 or above the size of the semaphore;
// [*CancelledError] when the scope of ctx or the instance is cancelled. With an error no permits
// are taken.
func (s *Semaphore) Acquire(ctx Context, n int) error {
	return s.acquire(ctx.engine("Semaphore.Acquire"), n)
}

func (s *Semaphore) acquire(run *engine.Context, n int) error {
	if s.size == 0 {
		panic(&MisuseError{Call: "Semaphore.Acquire", Problem: "the Semaphore is the zero value, which has no permits: make it with NewSemaphore"})
	}
	if n < 1 || n > s.size {
		return &InvalidArgumentError{Call: "Semaphore.Acquire", Argument: "number", Problem: fmt.Sprintf("is %d; it must be from 1 to %d", n, s.size)}
	}
	if err := run.Err(); err != nil {
		return err
	}
	if len(s.waiting) == 0 && s.taken+n <= s.size {
		s.taken += n
		return nil
	}
	p := &permit{n: n}
	p.op, p.grant = run.Promise()
	s.waiting = append(s.waiting, p)
	_, err := run.Await(p.op)
	if err == nil {
		return nil
	}
	if p.granted {
		s.taken -= n
	}
	p.gone = true
	s.admit()
	return err
}

// Release returns n permits. Releasing more permits than are taken is a [*MisuseError] that makes
// the instance stuck.
func (s *Semaphore) Release(n int) { s.release("Semaphore.Release", n) }

func (s *Semaphore) release(call string, n int) {
	if n < 0 || n > s.taken {
		panic(&MisuseError{Call: call, Problem: fmt.Sprintf("%d permits released, but only %d are taken: release each acquired permit once", n, s.taken)})
	}
	s.taken -= n
	s.admit()
}

// admit gives the free permits to the branches that have waited longest.
func (s *Semaphore) admit() {
	for len(s.waiting) > 0 {
		p := s.waiting[0]
		if !p.gone {
			if s.taken+p.n > s.size {
				return
			}
			s.taken += p.n
			p.granted = true
			p.grant()
		}
		s.waiting[0] = nil
		s.waiting = s.waiting[1:]
	}
}

// Mutex is a lock that one branch at a time can hold; waiting branches get it in order. Branches
// switch only where they block in a durable call, so you need a Mutex only to keep other branches
// out between two such calls. The zero value is unlocked. It records nothing. Keep it in a variable
// of the orchestration, never in a package variable.
type Mutex struct{ s Semaphore }

// Lock waits until the mutex is unlocked, and locks it. It records nothing. The only error is a
// [*CancelledError]; the mutex is then not locked.
func (m *Mutex) Lock(ctx Context) error {
	m.s.size = 1
	return m.s.acquire(ctx.engine("Mutex.Lock"), 1)
}

// Unlock unlocks the mutex. Unlocking a mutex that is not locked is a [*MisuseError] that makes the
// instance stuck.
func (m *Mutex) Unlock() {
	if m.s.taken == 0 {
		panic(&MisuseError{Call: "Mutex.Unlock", Problem: "the mutex is not locked: unlock it once, and only after Lock returned without an error"})
	}
	m.s.release("Mutex.Unlock", 1)
}

// WaitGroup waits until a counter reaches zero, for example until parts of branches are done. To
// wait for whole branches and their results, [Join] their futures. The zero value has the count 0.
// It records nothing. Keep it in a variable of the orchestration.
type WaitGroup struct {
	count   int
	waiting []func()
}

// Add adds n, which may be negative, to the count. A count below zero is a [*MisuseError] that
// makes the instance stuck.
func (w *WaitGroup) Add(n int) {
	w.count += n
	switch {
	case w.count < 0:
		panic(&MisuseError{Call: "WaitGroup.Add", Problem: "the count is below zero: call Done once for each Add(1)"})
	case w.count == 0:
		for _, wake := range w.waiting {
			wake()
		}
		w.waiting = nil
	}
}

// Done is Add(-1).
func (w *WaitGroup) Done() { w.Add(-1) }

// Wait waits until the count is zero. It records nothing. The only error is a [*CancelledError].
func (w *WaitGroup) Wait(ctx Context) error {
	run := ctx.engine("WaitGroup.Wait")
	if w.count == 0 {
		return nil
	}
	op, wake := run.Promise()
	w.waiting = append(w.waiting, wake)
	_, err := run.Await(op)
	return err
}
