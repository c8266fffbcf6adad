package turnstile

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// SearchValue is the value of a search attribute: a string, a number or a time. Equal values are
// equal with ==. Setting an attribute to the zero value removes the attribute. The bool of Text,
// Number, Whole and Time reports whether the value has that type; a number has a Whole if it has no
// fraction and fits an int64.
//
//	func (v SearchValue) Text() (string, bool)
//	func (v SearchValue) Number() (float64, bool)
//	func (v SearchValue) Whole() (int64, bool)
//	func (v SearchValue) Time() (time.Time, bool)
//	func (v SearchValue) Kind() SearchKind
//	func (v SearchValue) Compare(w SearchValue) (order int, ok bool)
//	func (v SearchValue) String() string
type SearchValue = history.SearchValue

// SearchString returns s as a SearchValue.
func SearchString(s string) SearchValue { return history.SearchTextOf(s) }

// SearchNumber returns n as a SearchValue. Whole numbers are exact; 2 and 2.0 are the same value.
// Other numbers must be finite, with an absolute value from 1e-100 to 1e100.
func SearchNumber[N ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~float32 | ~float64](n N) SearchValue {
	if half := N(1) / 2; half != 0 {
		return history.SearchNumberOf(float64(n))
	}
	return history.SearchNumberOf(int64(n))
}

// SearchTime returns t as a SearchValue, truncated to milliseconds.
func SearchTime(t time.Time) SearchValue { return history.SearchTimeOf(t) }
