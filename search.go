package turnstile

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// SearchAttributes are names and values by which an instance is found: strings,
// numbers and times, see SearchString, SearchNumber and SearchTime. Orchestration
// code sets them ([SetSearchAttributes]), and so may a start (client.SearchAttributes);
// client.Client.List finds by them (client.ListQuery.Where).
//
// At most 16 of an instance; names of 1 to 64 characters, a letter and then
// letters, digits, "_", "-" and "."; strings of at most 256 bytes of UTF-8
// without control characters; names and values together at most 2,048 bytes,
// where a number or a time counts 8.
//
// They are plain text in tables, messages and histories, also where a payload
// codec encrypts everything else: what is to be found has to be readable. Put
// no secret into them.
type SearchAttributes map[string]SearchValue

// SearchValue is the value of a search attribute. Equal values are equal with
// ==. The zero value is none: setting an attribute to it removes it.
type SearchValue = history.SearchValue

// SearchAttributeError says which search attribute can't be set, and which
// limit it exceeds. Nothing was set.
type SearchAttributeError = history.SearchAttributeError

// SearchString returns the value of a string.
func SearchString(s string) SearchValue { return history.SearchTextOf(s) }

// SearchNumber returns the value of a number. Whole numbers are exact; 2 and 2.0
// are the same value. Others have to be finite, and from 1e-100 to 1e100 in
// size.
func SearchNumber[N ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~float32 | ~float64](n N) SearchValue {
	if half := N(1) / 2; half != 0 {
		return history.SearchRealOf(float64(n))
	}
	return history.SearchWholeOf(int64(n))
}

// SearchTime returns the value of a time, cut to whole milliseconds.
func SearchTime(t time.Time) SearchValue { return history.SearchTimeOf(t) }

// SetSearchAttributes sets search attributes of the instance: those given. One
// that is given the zero SearchValue is removed, and all others stay. The
// instance is found by them once the turn is committed. They stay through
// continue-as-new and after the end; a purge removes them.
//
// It records no event: replay computes them again. A turn that sets attributes
// reads the instance record, and changes it, and an index item for each of them
// whose value is another one, in the same transaction as its events: 2 write
// units for the record and 2 for each attribute, and those of the index (see
// docs/guide/search.md). Setting a value that is there already costs the read
// alone.
//
// Error: *SearchAttributeError.
func SetSearchAttributes(ctx Context, attributes SearchAttributes) error {
	return ctx.engine("SetSearchAttributes").SetSearchAttributes(history.SearchAttributes(attributes))
}

// SearchAttributesOf returns the search attributes as they stand, those that the
// start brought or the execution before left among them. The map is the
// caller's own. It records nothing.
func SearchAttributesOf(ctx Context) SearchAttributes {
	return SearchAttributes(ctx.engine("SearchAttributesOf").SearchAttributes().With(nil))
}

// String returns them in the order of their names: customer = "c-1", total = 99.5.
func (a SearchAttributes) String() string { return history.SearchAttributes(a).String() }

// MarshalJSON implements json.Marshaler: an object of strings, numbers, and times
// as {"time":"2026-11-21T15:04:05.000Z"}.
func (a SearchAttributes) MarshalJSON() ([]byte, error) {
	return history.SearchAttributes(a).MarshalJSON()
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *SearchAttributes) UnmarshalJSON(data []byte) error {
	return (*history.SearchAttributes)(a).UnmarshalJSON(data)
}
