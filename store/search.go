package store

import (
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/history"
)

// SearchOperator compares a search attribute with a value.
type SearchOperator string

// The operators. A condition holds only if the attribute exists and has the type of the
// value; SearchPrefix is only for strings.
const (
	SearchEqual        SearchOperator = "="
	SearchLess         SearchOperator = "<"
	SearchLessEqual    SearchOperator = "<="
	SearchGreater      SearchOperator = ">"
	SearchGreaterEqual SearchOperator = ">="
	SearchPrefix       SearchOperator = "^="
)

// SearchCondition is a condition on a search attribute. It holds only for instances that have the
// attribute, with a value of the same type.
type SearchCondition struct {
	// Name of the attribute.
	Name string
	// Operator is "=", "<", "<=", ">", ">=" or "^=" (begins with, for strings).
	Operator SearchOperator
	Value    history.SearchValue
}

// Holds reports whether the condition holds for the attributes.
func (c SearchCondition) Holds(attributes history.SearchAttributes) bool {
	v := attributes[c.Name]
	order, ok := v.Compare(c.Value)
	if !ok {
		return false
	}
	switch c.Operator {
	case SearchEqual:
		return order == 0
	case SearchLess:
		return order < 0
	case SearchLessEqual:
		return order <= 0
	case SearchGreater:
		return order > 0
	case SearchGreaterEqual:
		return order >= 0
	case SearchPrefix:
		text, is := v.Text()
		prefix, _ := c.Value.Text()
		return is && strings.HasPrefix(text, prefix)
	}
	return false
}

// String returns the condition as client.ParseWhere reads it: total > 100.
func (c SearchCondition) String() string {
	return c.Name + " " + string(c.Operator) + " " + c.Value.String()
}

func (c *SearchCondition) check() error {
	bad := func(problem string) error { return fmt.Errorf("%w: %s: %s", ErrBadSearch, c, problem) }
	switch c.Operator {
	case SearchEqual, SearchLess, SearchLessEqual, SearchGreater, SearchGreaterEqual:
	case SearchPrefix:
		if c.Value.Kind() != history.SearchText {
			return bad("the value of ^= must be a string")
		}
	default:
		return bad("the operator must be one of = < <= > >= ^=")
	}
	if c.Value.Kind() == history.SearchNothing {
		return bad("it has no value; you cannot search for a missing attribute")
	}
	return (history.SearchAttributes{c.Name: c.Value}).Check()
}

// Equality returns the first "=" condition, which an index can answer; nil if there is none.
func (q *ListQuery) Equality() *SearchCondition {
	for i := range q.Where {
		if q.Where[i].Operator == SearchEqual {
			return &q.Where[i]
		}
	}
	return nil
}
