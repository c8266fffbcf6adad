package turnstile

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// SearchValue is the value of a search attribute: a string, a number or a time. Equal values are
// equal with ==. Setting an attribute to the zero value removes the attribute.
type SearchValue struct{ stored history.SearchValue }

// SearchString returns s as a SearchValue.
func SearchString(s string) SearchValue { return SearchValue{history.SearchTextOf(s)} }

// SearchNumber returns n as a SearchValue. Whole numbers are exact; 2 and 2.0 are the same value.
// Other numbers must be finite, with an absolute value from 1e-100 to 1e100.
func SearchNumber[N ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~float32 | ~float64](n N) SearchValue {
	if half := N(1) / 2; half != 0 {
		return SearchValue{history.SearchNumberOf(float64(n))}
	}
	return SearchValue{history.SearchNumberOf(int64(n))}
}

// SearchTime returns t as a SearchValue, truncated to milliseconds.
func SearchTime(t time.Time) SearchValue { return SearchValue{history.SearchTimeOf(t)} }

// Text returns the string, and whether the value is a string.
func (v SearchValue) Text() (string, bool) {
	return v.stored.Text(), v.stored.Kind() == history.SearchText
}

// Number returns the number, rounded to the nearest float64, and whether the value is a number.
// [SearchValue.Whole] returns whole numbers beyond 2^53 exactly.
func (v SearchValue) Number() (float64, bool) {
	return v.stored.Number(), v.stored.Kind() == history.SearchNumber
}

// Whole returns the number, and whether the value is a number without a fraction.
func (v SearchValue) Whole() (int64, bool) { return v.stored.Whole() }

// Time returns the time in UTC, and whether the value is a time.
func (v SearchValue) Time() (time.Time, bool) {
	return v.stored.Time(), v.stored.Kind() == history.SearchTime
}

// String returns the value in the form of a search query: a string in quotes, a number, or a time
// as RFC 3339.
func (v SearchValue) String() string { return v.stored.String() }
