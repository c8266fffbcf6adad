package engine

import (
	"maps"

	"github.com/turnstile-go/turnstile/history"
)

// SetSearchAttributes sets search attributes: those given, one without a value
// is removed, all others stay. They can be found by once the turn is committed.
// Like the custom status they are no event: replay recomputes them. The error
// is that of history.SearchAttributes.Check for what there would be; then
// nothing is set.
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
		c.x.run.searchSet = SearchSetBoth(c.x.run.searchSet, set)
	}
	return nil
}

// SearchAttributes returns the search attributes as the code has set them so
// far; nil outside its running code. Not to be changed.
func (c *Context) SearchAttributes() history.SearchAttributes {
	if !c.x.owned() {
		return nil
	}
	return c.x.search
}

// SearchSetBoth returns what two changes of search attributes come to, the
// second made behind the first: removals stay, other than in
// history.SearchAttributes.With. Nil if both are empty.
func SearchSetBoth(first, second history.SearchAttributes) history.SearchAttributes {
	if len(first)+len(second) == 0 {
		return nil
	}
	both := make(history.SearchAttributes, len(first)+len(second))
	maps.Copy(both, first)
	maps.Copy(both, second)
	return both
}
