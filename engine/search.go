package engine

import (
	"maps"

	"github.com/turnstile-go/turnstile/history"
)

// SetSearchAttributes sets the given search attributes, removes those without a value,
// and leaves all others unchanged. Searches find them once the turn is committed. Like
// states they are not an event, because a replay computes them again. If the
// resulting attributes are not valid, SetSearchAttributes sets none and returns the error
// of history.SearchAttributes.Check.
func (c *Context) SetSearchAttributes(set history.SearchAttributes) error {
	if _, err := c.x.enterUnrecorded("SetSearchAttributes", ""); err != nil {
		return err
	}
	if err := set.Check(); err != nil {
		return err
	}
	next := c.x.search.With(set)
	if err := next.Check(); err != nil {
		return err
	}
	was := c.x.search
	c.x.search = next
	if c.x.cursor.live {
		if c.x.run.searchSet == nil {
			c.x.run.searchWas = was
		}
		c.x.run.searchSet = searchSetBoth(c.x.run.searchSet, set)
	}
	return nil
}

// SearchAttributes returns the search attributes that the code has set so far, or nil
// outside the running code. Do not modify the map.
func (c *Context) SearchAttributes() history.SearchAttributes {
	if !c.x.owned() {
		return nil
	}
	return c.x.search
}

// searchSetBoth combines two successive changes of search attributes into one. Unlike
// history.SearchAttributes.With, it keeps removals. It returns nil if both are empty.
func searchSetBoth(first, second history.SearchAttributes) history.SearchAttributes {
	if len(first)+len(second) == 0 {
		return nil
	}
	both := make(history.SearchAttributes, len(first)+len(second))
	maps.Copy(both, first)
	maps.Copy(both, second)
	return both
}
