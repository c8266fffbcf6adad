package turnstile

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// SearchValue is the value of a search attribute: a string, a number or a time.
// Equal values are equal with ==. The zero value is none: setting an attribute to
// it removes the attribute.
type SearchValue struct{ stored history.SearchValue }

// SearchString returns the value of a string.
func SearchString(s string) SearchValue { return SearchValue{history.SearchTextOf(s)} }

// SearchNumber returns the value of a number. Whole numbers are exact; 2 and 2.0
// are the same value. All others must be finite, and from 1e-100 to 1e100 in
// size.
func SearchNumber[N ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~float32 | ~float64](n N) SearchValue {
	if half := N(1) / 2; half != 0 {
		return SearchValue{history.SearchNumberOf(float64(n))}
	}
	return SearchValue{history.SearchNumberOf(int64(n))}
}

// SearchTime returns the value of a time, cut to whole milliseconds.
func SearchTime(t time.Time) SearchValue { return SearchValue{history.SearchTimeOf(t)} }

// Text returns the string, and whether the value is one.
func (v SearchValue) Text() (string, bool) {
	return v.stored.Text(), v.stored.Kind() == history.SearchText
}

// Number returns the number, to the nearest float64, and whether the value is
// one. A whole number beyond 2^53 is exact in Whole.
func (v SearchValue) Number() (float64, bool) {
	return v.stored.Number(), v.stored.Kind() == history.SearchNumber
}

// Whole returns a number without a fraction, and whether the value is one.
func (v SearchValue) Whole() (int64, bool) { return v.stored.Whole() }

// Time returns the time in UTC, and whether the value is one.
func (v SearchValue) Time() (time.Time, bool) {
	return v.stored.Time(), v.stored.Kind() == history.SearchTime
}

// String returns the value as it stands in a search: a string in quotes, a
// number, a time as RFC 3339.
func (v SearchValue) String() string { return v.stored.String() }
