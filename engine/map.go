package engine

import "fmt"

// Map runs n operations, never more than limit of them open at once: the next
// starts in the turn in which one completes. Outcomes are in input order. A
// limit below one is an error before anything is scheduled. When the scope is
// cancelled no further operation starts, and the error is that of the scope.
func (c *Context) Map(limit, n int, start func(ctx *Context, i int) *Future) ([]Outcome, error) {
	if limit < 1 {
		return nil, fmt.Errorf("map: limit is %d, must be at least 1", limit)
	}
	outcomes := make([]Outcome, n)
	var window []*Future
	var indexes []int
	for started, ended := 0, 0; ended < n; {
		for ; started < n && len(window) < limit; started++ {
			if err := c.Err(); err != nil {
				return nil, err
			}
			window = append(window, start(c, started))
			indexes = append(indexes, started)
		}
		i, err := c.Select(true, window...)
		if err != nil {
			return nil, err
		}
		outcomes[indexes[i]] = Outcome{window[i].value, window[i].err}
		window = append(window[:i], window[i+1:]...)
		indexes = append(indexes[:i], indexes[i+1:]...)
		ended++
	}
	return outcomes, nil
}
