package client

import (
	"github.com/turnstile-go/turnstile/internal/conditions"
	"github.com/turnstile-go/turnstile/store"
)

// SearchCondition is a condition on a search attribute, for ListQuery.Where.
type SearchCondition = store.SearchCondition

// ParseWhere parses the conditions of a [ListQuery] from text, joined by "and":
//
//	customer = "c-1" and total > 100 and due < 2026-12-01
//
// Operators are =, <, <=, >, >= and ^= (begins with). A value is a string in double quotes (with Go's
// escapes) or single quotes (without escapes), a number, or an RFC 3339 time; a date alone means
// midnight UTC. A program that has the values builds the conditions itself, without quoting.
//
// Errors: [store.ErrBadSearch], [*history.SearchAttributeError].
func ParseWhere(text string) ([]SearchCondition, error) { return conditions.Parse(text) }
