package history

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// SearchKind is the type of a search value.
type SearchKind uint8

// The types. Values of different types are never equal, and none is before the
// other.
const (
	// SearchNothing is the kind of the zero value, which removes an attribute.
	SearchNothing SearchKind = iota
	// SearchText is a string.
	SearchText
	// SearchNumber is an int64 or a finite float64.
	SearchNumber
	// SearchTime is a moment in whole milliseconds, UTC.
	SearchTime
)

var searchKindNames = [...]string{"nothing", "string", "number", "time"}

// String returns the type in a word.
func (k SearchKind) String() string {
	if int(k) < len(searchKindNames) {
		return searchKindNames[k]
	}
	return "unknown"
}

// SearchValue is the value of a search attribute: a string, a number or a time.
// Equal values are equal with ==. The zero value is none: setting an attribute
// to it removes the attribute.
type SearchValue struct {
	kind SearchKind
	text string
	// whole is a number without a fraction that an int64 holds, or the
	// milliseconds of a time; real is any other number.
	whole int64
	real  float64
}

// SearchTextOf returns the value of a string.
func SearchTextOf(s string) SearchValue { return SearchValue{kind: SearchText, text: s} }

// SearchNumberOf returns the value of a number. A whole one is exact, and 2.0 is the
// same value as 2.
func SearchNumberOf[N int | int64 | float64](n N) SearchValue {
	if f := float64(n); N(1)/2 != 0 && (f != math.Trunc(f) || f < -1<<63 || f >= 1<<63) {
		return SearchValue{kind: SearchNumber, real: f}
	}
	return SearchValue{kind: SearchNumber, whole: int64(n)}
}

// SearchTimeOf returns the value of a time, cut to whole milliseconds.
func SearchTimeOf(t time.Time) SearchValue { return searchMillisOf(t.UnixMilli()) }

// searchMillisOf returns the value of a time in Unix milliseconds.
func searchMillisOf(ms int64) SearchValue { return SearchValue{kind: SearchTime, whole: ms} }

// Kind returns the type.
func (v SearchValue) Kind() SearchKind { return v.kind }

// Text returns the string; empty for a value of another type.
func (v SearchValue) Text() string { return v.text }

// Number returns the number, to the nearest float64; 0 for a value of another
// type. A whole number beyond 2^53 is exact in Whole.
func (v SearchValue) Number() float64 {
	if v.kind != SearchNumber {
		return 0
	}
	if v.real != 0 {
		return v.real
	}
	return float64(v.whole)
}

// Whole returns a number without a fraction, and whether the value is one.
func (v SearchValue) Whole() (int64, bool) {
	if v.kind != SearchNumber || v.real != 0 {
		return 0, false
	}
	return v.whole, true
}

// Time returns the time in UTC; the zero time for a value of another type.
func (v SearchValue) Time() time.Time {
	if v.kind != SearchTime {
		return time.Time{}
	}
	return time.UnixMilli(v.whole).UTC()
}

// timeLayout is RFC 3339 with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// String returns the value as it stands in a search: a string in quotes, a
// number, a time as RFC 3339.
func (v SearchValue) String() string {
	switch v.kind {
	case SearchText:
		return strconv.Quote(v.text)
	case SearchNumber:
		return v.digits()
	case SearchTime:
		return v.Time().Format(timeLayout)
	}
	return "nothing"
}

// digits writes a number so that reading it back gives the same value.
func (v SearchValue) digits() string {
	if v.real != 0 {
		return strconv.FormatFloat(v.real, 'g', -1, 64)
	}
	return strconv.FormatInt(v.whole, 10)
}

// Compare orders two values of one type: strings by their bytes, numbers by
// what they are, whichever way they are held. ok is false for values of
// different types, and for none.
func (v SearchValue) Compare(w SearchValue) (order int, ok bool) {
	if v.kind != w.kind || v.kind == SearchNothing {
		return 0, false
	}
	switch {
	case v.kind == SearchText:
		return strings.Compare(v.text, w.text), true
	case v.real == 0 && w.real == 0:
		return cmp.Compare(v.whole, w.whole), true
	}
	return v.exact().Cmp(w.exact()), true
}

// exact returns a number without rounding.
func (v SearchValue) exact() *big.Float {
	if v.real != 0 {
		return new(big.Float).SetFloat64(v.real)
	}
	return new(big.Float).SetInt64(v.whole)
}

// Limits of search attributes: of one instance, of a name, of a string, and of
// all names and values together, in bytes; a number or a time counts 8. The
// index that finds by them keeps an item for each.
const (
	maxSearchAttributes = 16
	maxSearchName       = 64
	maxSearchText       = 256
	maxSearchBytes      = 2048
)

// Numbers that a table keeps with all their digits lie, apart from 0, between
// these, on either side of it.
const (
	minSearchNumber = 1e-100
	maxSearchNumber = 1e100
)

// Years of a search time, as RFC 3339 writes them.
const (
	minSearchTime = -62135596800000 // 0001-01-01
	maxSearchTime = 253402300799999 // 9999-12-31
)

// SearchAttributeError says which search attribute can't be kept, and why.
// Nothing was set.
type SearchAttributeError struct {
	// Name of the attribute; empty if it is about all of them.
	Name string
	// Problem, with the limit.
	Problem string
}

func (e *SearchAttributeError) Error() string {
	if e.Name == "" {
		return "search attributes: " + e.Problem
	}
	return fmt.Sprintf("search attribute %q: %s", clipped(e.Name), e.Problem)
}

func clipped(s string) string {
	const most = 80
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// checkSearchName says what is wrong with the name of a search attribute, nil
// if nothing: 1 to 64 characters of A-Z, a-z, 0-9, "_", "-" and ".", of which
// the first is a letter. *SearchAttributeError.
func checkSearchName(name string) error {
	if name == "" {
		return &SearchAttributeError{Problem: fmt.Sprintf("a name is empty; it needs 1 to %d characters", maxSearchName)}
	}
	if len(name) > maxSearchName {
		return &SearchAttributeError{Name: name, Problem: fmt.Sprintf("its name has %d bytes, the limit is %d", len(name), maxSearchName)}
	}
	for i, r := range []byte(name) {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || !(r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.')) {
			return &SearchAttributeError{Name: name, Problem: `a name begins with a letter, with letters, digits, "_", "-" and "." behind it`}
		}
	}
	return nil
}

// problem says what is wrong with the value; empty if nothing.
func (v SearchValue) problem() string {
	switch v.kind {
	case SearchText:
		return textProblem(v.text)
	case SearchNumber:
		size := math.Abs(v.real)
		if math.IsNaN(v.real) || size > maxSearchNumber || v.real != 0 && size < minSearchNumber {
			return fmt.Sprintf("its number is %v; it has to be finite and, if not 0, between %g and %g in size", v.real, minSearchNumber, maxSearchNumber)
		}
	case SearchTime:
		if v.whole < minSearchTime || v.whole > maxSearchTime {
			return "its time is outside of the years 1 to 9999"
		}
	}
	return ""
}

func textProblem(s string) string {
	if len(s) > maxSearchText {
		return fmt.Sprintf("its string has %d bytes, the limit is %d; put long texts into the input or the custom status", len(s), maxSearchText)
	}
	if !utf8.ValidString(s) {
		return "its string is not UTF-8"
	}
	if n := strings.IndexFunc(s, unicode.IsControl); n >= 0 {
		return fmt.Sprintf("its string has a control character at byte %d", n)
	}
	return ""
}

// size is what the value counts towards maxSearchBytes.
func (v SearchValue) size() int {
	if v.kind == SearchText {
		return len(v.text)
	}
	return 8
}
