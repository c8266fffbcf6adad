// Package near finds the name that somebody may have meant, for the text of an
// error.
package near

import (
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Name returns which of some names is nearest to a name that is none of them:
// the same but for upper and lower case, or a few letters away from it (left out,
// added, changed, or two of them swapped: one in three, at most three). Of
// several it is the first; "" if none is near.
func Name(name string, among []string) string {
	const longest = 100 // what is longer was not typed
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

// Hint is Name as the end of an error text: `; did you mean "Charge"?`, or
// nothing.
func Hint(name string, among []string) string {
	if n := Name(name, among); n != "" {
		return "; did you mean " + strconv.Quote(n) + "?"
	}
	return ""
}

// distance is how many letters have to be left out, added, changed or swapped
// with their neighbour (optimal string alignment).
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

// Field is Hint for the error with which encoding/json refuses an unknown field:
// among are the fields of the struct, or of those inside it, that it was to go
// into.
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

// fields adds the names that the fields of a type have in JSON, and those of the
// types inside it.
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
