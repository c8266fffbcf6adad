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

// The types. Values of different types are never equal and have no order.
const (
	// SearchNothing is the kind of the zero value, which removes an attribute.
	SearchNothing SearchKind = iota
	// SearchText is a string.
	SearchText
	// SearchNumber is an int64 or a finite float64.
	SearchNumber
	// SearchTime is a time in whole milliseconds, UTC.
	SearchTime
)

var searchKindNames = [...]string{"nothing", "string", "number", "time"}

// String returns the name of the type in one word.
func (k SearchKind) String() string {
	if int(k) < len(searchKindNames) {
		return searchKindNames[k]
	}
	return "unknown"
}

// SearchValue is the value of a search attribute: a string, a number or a time. Equal values
// compare equal with ==. The zero value stands for no value: setting an attribute to it removes the
// attribute.
type SearchValue struct {
	kind SearchKind
	text string
	// whole is a number without a fraction that fits an int64, or the milliseconds of a
	// time; real is any other number.
	whole int64
	real  float64
}

// SearchTextOf returns the value of a string.
func SearchTextOf(s string) SearchValue { return SearchValue{kind: SearchText, text: s} }

// SearchNumberOf returns the value of a number. Whole numbers are exact, and 2.0 is the
// same value as 2.
func SearchNumberOf[N int | int64 | float64](n N) SearchValue {
	if f := float64(n); N(1)/2 != 0 && (f != math.Trunc(f) || f < -1<<63 || f >= 1<<63) {
		return SearchValue{kind: SearchNumber, real: f}
	}
	return SearchValue{kind: SearchNumber, whole: int64(n)}
}

// SearchTimeOf returns the value of a time, truncated to whole milliseconds.
func SearchTimeOf(t time.Time) SearchValue { return searchMillisOf(t.UnixMilli()) }

// searchMillisOf returns the value of a time in Unix milliseconds.
func searchMillisOf(ms int64) SearchValue { return SearchValue{kind: SearchTime, whole: ms} }

// Kind returns the type.
func (v SearchValue) Kind() SearchKind { return v.kind }

// Text returns the string, and whether the value is a string.
func (v SearchValue) Text() (string, bool) { return v.text, v.kind == SearchText }

// Number returns the number, rounded to the nearest float64, and whether the value is a number.
// [SearchValue.Whole] returns whole numbers beyond 2^53 exactly.
func (v SearchValue) Number() (float64, bool) {
	if v.kind != SearchNumber {
		return 0, false
	}
	if v.real != 0 {
		return v.real, true
	}
	return float64(v.whole), true
}

// Whole returns the number, and whether the value is a number without a fraction that fits an int64.
func (v SearchValue) Whole() (int64, bool) {
	if v.kind != SearchNumber || v.real != 0 {
		return 0, false
	}
	return v.whole, true
}

// Time returns the time in UTC, and whether the value is a time.
func (v SearchValue) Time() (time.Time, bool) {
	if v.kind != SearchTime {
		return time.Time{}, false
	}
	return v.time(), true
}

func (v SearchValue) time() time.Time { return time.UnixMilli(v.whole).UTC() }

// timeLayout is RFC 3339 with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// String returns the value in the form that a search uses: a quoted string, a number, or
// a time in RFC 3339.
func (v SearchValue) String() string {
	switch v.kind {
	case SearchText:
		return strconv.Quote(v.text)
	case SearchNumber:
		return v.digits()
	case SearchTime:
		return v.time().Format(timeLayout)
	}
	return "nothing"
}

// digits formats a number so that parsing it returns the same value.
func (v SearchValue) digits() string {
	if v.real != 0 {
		return strconv.FormatFloat(v.real, 'g', -1, 64)
	}
	return strconv.FormatInt(v.whole, 10)
}

// Compare orders two values of the same type: strings by their bytes, numbers and times
// by their exact value. ok is false if the types differ or a value is the zero value.
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

// Limits of search attributes: the number per instance, the bytes of a name, the bytes of
// a string, and the bytes of all names and values together, where a number or a time
// counts as 8. The search index keeps an item for each attribute.
const (
	maxSearchAttributes = 16
	maxSearchName       = 64
	maxSearchText       = 256
	maxSearchBytes      = 2048
)

// minSearchNumber and maxSearchNumber bound the magnitude of a number other than 0, so that
// DynamoDB stores it exactly.
const (
	minSearchNumber = 1e-100
	maxSearchNumber = 1e100
)

// The range of a search time, in Unix milliseconds: the years that RFC 3339 can express.
const (
	minSearchTime = -62135596800000 // 0001-01-01
	maxSearchTime = 253402300799999 // 9999-12-31
)

// SearchAttributeError is returned if a search attribute is invalid. No attribute was set.
type SearchAttributeError struct {
	// Name of the attribute; empty if the error is about all of them.
	Name string
	// Problem describes the error and names the limit.
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

// checkSearchName returns a *SearchAttributeError if the name of a search attribute is
// invalid. A name has 1 to 64 characters of A-Z, a-z, 0-9, "_", "-" and ".", and starts
// with a letter.
func checkSearchName(name string) error {
	if name == "" {
		return &SearchAttributeError{Problem: fmt.Sprintf("a name is empty; a name has 1 to %d characters", maxSearchName)}
	}
	if len(name) > maxSearchName {
		return &SearchAttributeError{Name: name, Problem: fmt.Sprintf("the name has %d bytes, more than the limit of %d", len(name), maxSearchName)}
	}
	for i, r := range []byte(name) {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || !(r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.')) {
			return &SearchAttributeError{Name: name, Problem: `a name must start with a letter and have only letters, digits, "_", "-" and "."`}
		}
	}
	return nil
}

// problem describes what is wrong with the value; empty if it is valid.
func (v SearchValue) problem() string {
	switch v.kind {
	case SearchText:
		return textProblem(v.text)
	case SearchNumber:
		size := math.Abs(v.real)
		if math.IsNaN(v.real) || size > maxSearchNumber || v.real != 0 && size < minSearchNumber {
			return fmt.Sprintf("the number %v is out of range; it must be finite and, unless it is 0, have a magnitude from %g to %g", v.real, minSearchNumber, maxSearchNumber)
		}
	case SearchTime:
		if v.whole < minSearchTime || v.whole > maxSearchTime {
			return "the time is outside the years 1 to 9999"
		}
	}
	return ""
}

func textProblem(s string) string {
	if len(s) > maxSearchText {
		return fmt.Sprintf("the string has %d bytes, more than the limit of %d; put long text in the input or a state", len(s), maxSearchText)
	}
	if !utf8.ValidString(s) {
		return "the string is not valid UTF-8"
	}
	if n := strings.IndexFunc(s, unicode.IsControl); n >= 0 {
		return fmt.Sprintf("the string has a control character at byte %d", n)
	}
	return ""
}

// size is the number of bytes that the value counts toward maxSearchBytes.
func (v SearchValue) size() int {
	if v.kind == SearchText {
		return len(v.text)
	}
	return 8
}
