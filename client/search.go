package client

import "github.com/turnstile-go/turnstile/store"

// SearchCondition is a condition on a search attribute, for ListQuery.Where. It
// holds only for instances that have the attribute, with a value of the same
// type.
type SearchCondition = store.SearchCondition

// The operators of a SearchCondition. SearchPrefix, "begins with", is for
// strings.
const (
	SearchEqual        = store.SearchEqual
	SearchLess         = store.SearchLess
	SearchLessEqual    = store.SearchLessEqual
	SearchGreater      = store.SearchGreater
	SearchGreaterEqual = store.SearchGreaterEqual
	SearchPrefix       = store.SearchPrefix
)

// ParseWhere reads the conditions of a ListQuery as people write them, joined by
// "and":
//
//	customer = "c-1" and total > 100 and due < 2026-12-01
//
// Operators are =, <, <=, >, >= and ^= (begins with). A value is a string in
// double quotes (with the escapes of Go) or single quotes (without any), a
// number, or a time as RFC 3339, of which the time of day may be left out:
// midnight UTC. A program that has the values makes the conditions itself, and
// needs no quotes.
func ParseWhere(text string) ([]SearchCondition, error) { return store.ParseWhere(text) }
