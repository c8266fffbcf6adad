package client

import (
	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/conditions"
	"github.com/turnstile-go/turnstile/store"
)

// SearchCondition is a condition on a search attribute, for ListQuery.Where. It
// holds only for instances that have the attribute, with a value of the same
// type.
type SearchCondition struct {
	// Name of the attribute.
	Name string
	// Operator is "=", "<", "<=", ">", ">=" or "^=" (begins with, for strings).
	Operator store.SearchOperator
	Value    turnstile.SearchValue
}

// String returns the condition as [ParseWhere] reads it: total > 100.
func (c SearchCondition) String() string {
	return c.Name + " " + string(c.Operator) + " " + c.Value.String()
}

// ParseWhere parses the conditions of a [ListQuery] from text, joined by "and":
//
//	customer = "c-1" and total > 100 and due < 2026-12-01
//
// Operators are =, <, <=, >, >= and ^= (begins with). A value is a string in double quotes (with Go's
// escapes) or single quotes (without escapes), a number, or an RFC 3339 time; a date alone means
// midnight UTC. A program that has the values builds the conditions itself, without quoting.
//
// Errors: [store.ErrBadSearch], [*history.SearchAttributeError].
func ParseWhere(text string) ([]SearchCondition, error) {
	parsed, err := conditions.Parse(text)
	if err != nil {
		return nil, err
	}
	where := make([]SearchCondition, len(parsed))
	for i, c := range parsed {
		where[i] = SearchCondition{Name: c.Name, Operator: c.Operator, Value: searchValueOf(c.Value)}
	}
	return where, nil
}

func storeConditions(where []SearchCondition) []store.SearchCondition {
	out := make([]store.SearchCondition, len(where))
	for i, c := range where {
		out[i] = store.SearchCondition{Name: c.Name, Operator: c.Operator, Value: storedValue(c.Value)}
	}
	return out
}

// searchAttributesOf returns the attributes of a record; nil for none.
func searchAttributesOf(stored history.SearchAttributes) turnstile.SearchAttributes {
	if stored == nil {
		return nil
	}
	out := make(turnstile.SearchAttributes, len(stored))
	for name, v := range stored {
		out[name] = searchValueOf(v)
	}
	return out
}

func storedAttributes(attributes turnstile.SearchAttributes) history.SearchAttributes {
	out := make(history.SearchAttributes, len(attributes))
	for name, v := range attributes {
		out[name] = storedValue(v)
	}
	return out
}

func searchValueOf(v history.SearchValue) turnstile.SearchValue {
	switch v.Kind() {
	case history.SearchText:
		return turnstile.SearchString(v.Text())
	case history.SearchTime:
		return turnstile.SearchTime(v.Time())
	case history.SearchNumber:
		if n, whole := v.Whole(); whole {
			return turnstile.SearchNumber(n)
		}
		return turnstile.SearchNumber(v.Number())
	}
	return turnstile.SearchValue{}
}

func storedValue(v turnstile.SearchValue) history.SearchValue {
	if text, ok := v.Text(); ok {
		return history.SearchTextOf(text)
	}
	if at, ok := v.Time(); ok {
		return history.SearchTimeOf(at)
	}
	if n, ok := v.Whole(); ok {
		return history.SearchNumberOf(n)
	}
	if f, ok := v.Number(); ok {
		return history.SearchNumberOf(f)
	}
	return history.SearchValue{}
}
