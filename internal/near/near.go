// Package near suggests the name that a user may have meant, for error texts.
package near

import (
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Name returns the name among some that is most similar to an unknown one: equal except for case, or a few letters
// different (left out, added, changed or swapped; up to one in three, and at most three). Of equally similar names it
// returns the first; "" if none is similar or the name is known.
func Name(name string, among []string) string {
	const longest = 100 // a longer name was not typed
	if name == "" || utf8.RuneCountInString(name) > longest {
		return ""
	}
	lower := []rune(strings.ToLower(name))
	best, least := "", min(len(lower)/3, 3)+1
	for _, other := range among {
		if other == name {
			return ""
		}
		o := []rune(strings.ToLower(other))
		if len(o) > longest || max(len(o)-len(lower), len(lower)-len(o)) >= least {
			continue
		}
		if d := distance(lower, o); d < least {
			best, least = other, d
		}
	}
	return best
}

// Hint returns Name as the end of an error text: `; did you mean "Charge"?`, or "".
func Hint(name string, among []string) string {
	if n := Name(name, among); n != "" {
		return "; did you mean " + strconv.Quote(n) + "?"
	}
	return ""
}

// distance returns how many letters must be left out, added, changed or swapped with their neighbour (optimal string
// alignment).
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// Field returns Hint for an error with which encoding/json rejects an unknown field. It suggests a field of the type of
// into or of the types that it contains.
func Field(err error, into any) string {
	_, rest, found := strings.Cut(err.Error(), "unknown field ")
	if !found {
		return ""
	}
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return ""
	}
	name, err := strconv.Unquote(quoted)
	if err != nil {
		return ""
	}
	return Hint(name, fields(reflect.TypeOf(into), nil, map[reflect.Type]bool{}))
}

// fields adds the JSON names of the fields of a type and of the types that it contains.
func fields(t reflect.Type, to []string, seen map[reflect.Type]bool) []string {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map) {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct || seen[t] {
		return to
	}
	seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && name != "-" && !f.Anonymous {
			if name == "" {
				name = f.Name
			}
			to = append(to, name)
		}
		to = fields(f.Type, to, seen)
	}
	return to
}
