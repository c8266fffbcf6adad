package engine

import "fmt"

// Map runs n operations with at most limit of them open at a time: the next one starts in
// the turn in which another completes. Outcomes are in input order. A limit below 1 is an
// error, and nothing is scheduled. When the scope is cancelled, Map starts no further
// operation and returns the error of the scope.
func (c *Context) Map(limit, n int, start func(ctx *Context, i int) *Future) ([]Outcome, error) {
	if limit < 1 {
		return nil, fmt.Errorf("map: the limit is %d; it must be at least 1", limit)
	}
	if !c.x.owned() {
		return nil, c.x.notOwned("Map")
	}
	outcomes := make([]Outcome, n)
	all := c.x.collect(n)
	defer all.close()
	for started, ended := 0, 0; ended < n; ended++ {
		for ; started < n && started-ended < limit; started++ {
			if err := c.Err(); err != nil {
				return nil, err
			}
			f := start(c, started)
			if f == nil || f.x != c.x {
				return nil, foreignFuture("Map")
			}
			all.add(f)
		}
		i, err := all.next("Map", c)
		if err != nil {
			return nil, err
		}
		outcomes[i] = all.members[i].future.give()
	}
	return outcomes, nil
}
