package world

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
)

// strand is one of the concurrent parts of an invocation: the turn of one group of its
// batch, one attempt, or, inside a turn, some of the calls of its dispatch. In a process
// one strand runs at a time, up to its next call, as on a machine with one core.
type strand struct {
	routine *routine
	wakeAt  time.Time
	// ready, if not nil, also ends its wait when it is closed.
	ready <-chan struct{}
	// inner are the strands that it runs itself and waits for.
	inner []*strand
	done  bool
}

// never is the time of a strand that another strand has to wake.
var never = epoch.Add(1 << 62)

// awake reports whether it can continue.
func (s *strand) awake(now time.Time) bool {
	if len(s.inner) > 0 {
		return slices.ContainsFunc(s.inner, func(i *strand) bool { return i.awake(now) })
	}
	return !s.wakeAt.After(now) || closed(s.ready)
}

// wakes returns when it can continue.
func (s *strand) wakes() time.Time {
	if len(s.inner) > 0 {
		return earliest(s.inner)
	}
	return s.wakeAt
}

func closed(ready <-chan struct{}) bool {
	select {
	case <-ready:
		return ready != nil
	default:
		return false
	}
}

// Await lets others continue until ready is closed, or d has passed.
func (c skewed) Await(ready <-chan struct{}, d time.Duration) {
	p, until := c.p, never
	if d > 0 {
		until = c.p.W.Clock.Now().Add(d)
	}
	inv := p.Running
	for !p.Dead && !p.alarmed && !closed(ready) && c.p.W.Clock.Now().Before(until) && inv != nil {
		if inv.strand != nil {
			inv.strand.ready = ready
		}
		inv.pausesUntil(inv.strand, until)
	}
	if inv != nil && inv.strand != nil {
		inv.strand.ready = nil
	}
}

// together implements host's Together: the choices decide which strand continues, and
// between any two of their steps other processes may run.
func (p *Process) together(n int, f func()) {
	w, inv := p.W, p.Running
	strands := make([]*strand, n)
	for i := range strands {
		s := &strand{wakeAt: w.Clock.Now()}
		s.routine = w.routine(func() {
			f()
			s.done = true
		})
		strands[i] = s
	}
	w.Reached("side by side")
	if inv.strand != nil {
		w.Reached("side by side, dispatch")
	}
	outer, beside := inv.strand, inv.beside
	inv.beside = n
	defer func() { inv.beside = beside }()
	for len(strands) > 0 {
		if outer != nil {
			outer.inner = strands
		}
		at, ok := p.awake(strands)
		if !ok {
			inv.pausesUntil(outer, earliest(strands))
			continue
		}
		s := strands[at]
		inv.strand = s
		s.routine.resume()
		inv.strand = outer
		if s.done {
			w.routines = append(w.routines, s.routine)
			strands = append(strands[:at], strands[at+1:]...)
		} else if !p.Dead {
			inv.pausesUntil(outer, w.Clock.Now())
		}
	}
	if outer != nil {
		outer.inner = nil
	}
}

// awake chooses one of the strands that can continue. If the process is dead, all can,
// because none of them has any effect any more.
func (p *Process) awake(strands []*strand) (at int, ok bool) {
	var ready []int
	for i, s := range strands {
		if p.Dead || s.awake(p.W.Clock.Now()) {
			ready = append(ready, i)
		}
	}
	if len(ready) == 0 {
		return 0, false
	}
	c := &p.W.Choices
	return ready[c.IntN(c.At(c.At(choice.OfSchedule, "strand"), p.W.lately), len(ready))], true
}

func earliest(strands []*strand) time.Time {
	first := strands[0].wakes()
	for _, s := range strands[1:] {
		if at := s.wakes(); at.Before(first) {
			first = at
		}
	}
	return first
}

// pausesUntil lets other strands and processes continue. s is the strand that pauses, nil
// for the invocation itself.
func (inv *Invocation) pausesUntil(s *strand, at time.Time) {
	if s != nil {
		s.wakeAt = at
		s.routine.yield(struct{}{})
		return
	}
	inv.wakeAt = at
	inv.routine.yield(struct{}{})
}

// Runs returns the running strand of an invocation; nil if it has none.
func (inv *Invocation) Runs() any {
	if inv.strand == nil {
		return nil
	}
	return inv.strand
}
