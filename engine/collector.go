package engine

import (
	"cmp"
	"slices"
)

// collector yields futures one by one, in the order in which they become ready (rule 6).
// It registers with each future once, so that taking n of them costs n steps. A Select
// over the remaining futures, repeated n times, would cost n² steps.
type collector struct {
	x       *Execution
	members []member
	ready   []int // indexes of the ready members, in history order
	taken   int   // how many of the ready members were returned
	blocked *coroutine
}

// member is one future of a collector, with the collector's wait for it.
type member struct {
	wait   wait
	future *Future
}

// collect returns a collector of fs. Their waits point into its members, which therefore
// never move.
func (x *Execution) collect(fs []*Future) *collector {
	k := &collector{x: x, members: make([]member, len(fs))}
	for i, f := range fs {
		m := &k.members[i]
		m.future, m.wait.into, m.wait.place = f, k, i
		if f.state == open {
			f.register(&m.wait)
		} else {
			k.ready = append(k.ready, i)
		}
	}
	slices.SortStableFunc(k.ready, func(a, b int) int { return cmp.Compare(k.members[a].future.seq, k.members[b].future.seq) })
	return k
}

// gather notes that a member is ready.
func (k *collector) gather(place int) {
	k.ready = append(k.ready, place)
	if c := k.blocked; c != nil {
		k.blocked = nil
		k.x.ready.push(c)
	}
}

// next waits until one more member is ready and returns its index.
func (k *collector) next(call string, c *Context) (int, error) {
	co, err := k.x.enter(call, "")
	if err != nil {
		return -1, err
	}
	if k.taken == len(k.ready) {
		k.blocked = co
		err := c.waitFor(co, 1, nil)
		k.blocked = nil
		if err != nil {
			return -1, err
		}
	}
	place := k.ready[k.taken]
	if err := c.scope.outcome(k.members[place].future); err != nil {
		return -1, err
	}
	k.taken++
	return place, nil
}

// close unregisters from the futures that are still open.
func (k *collector) close() {
	for i := range k.members {
		if m := &k.members[i]; m.future.state == open {
			m.future.forget(&m.wait)
		}
	}
}
