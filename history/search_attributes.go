package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SearchAttributes are names and values by which you can search for an instance. A
// payload codec never encodes them, because a search needs readable values.
//
// In JSON they are an object of strings, numbers, and times written as
// {"time":"2026-11-21T15:04:05.000Z"}.
type SearchAttributes map[string]SearchValue

// Check returns a *SearchAttributeError if a name or a value is invalid, or if the attributes
// together exceed a limit, and nil otherwise. An attribute without a value, which removes
// the attribute, does not count toward the limits.
func (a SearchAttributes) Check() error {
	count, size := 0, 0
	for _, name := range a.Names() {
		if err := checkSearchName(name); err != nil {
			return err
		}
		v := a[name]
		if problem := v.problem(); problem != "" {
			return &SearchAttributeError{Name: name, Problem: problem}
		}
		if v.kind != SearchNothing {
			count, size = count+1, size+len(name)+v.size()
		}
	}
	if count > maxSearchAttributes {
		return &SearchAttributeError{Problem: fmt.Sprintf("%d exceed the limit of %d; remove one by setting it to the zero SearchValue", count, maxSearchAttributes)}
	}
	if size > maxSearchBytes {
		return &SearchAttributeError{Problem: fmt.Sprintf("names and values take %d bytes together, more than the limit of %d", size, maxSearchBytes)}
	}
	return nil
}

// Names returns the names, sorted.
func (a SearchAttributes) Names() []string {
	if len(a) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(a))
}

// With returns a copy of the attributes changed by set: the values in set replace those
// in a, and an attribute without a value is removed. It returns nil if no attribute is
// left.
func (a SearchAttributes) With(set SearchAttributes) SearchAttributes {
	if len(a) == 0 && len(set) == 0 {
		return nil
	}
	merged := make(SearchAttributes, len(a)+len(set))
	maps.Copy(merged, a)
	for name, v := range set {
		if v.kind == SearchNothing {
			delete(merged, name)
		} else {
			merged[name] = v
		}
	}
	if len(merged) == 0 {
		return nil
	}
	return merged
}

// String returns the attributes sorted by name, such as: customer = "c-1", total = 99.5.
func (a SearchAttributes) String() string {
	var b strings.Builder
	for i, name := range a.Names() {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name + " = " + a[name].String())
	}
	return b.String()
}

// MarshalJSON implements json.Marshaler. Equal attributes give equal bytes.
func (a SearchAttributes) MarshalJSON() ([]byte, error) { return appendSearch(nil, a), nil }

func appendSearch(dst []byte, a SearchAttributes) []byte {
	dst = append(dst, '{')
	for _, name := range a.Names() {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(appendQuoted(dst, strings.ToValidUTF8(name, "\ufffd")), ':')
		switch v := a[name]; v.kind {
		case SearchText:
			dst = appendQuoted(dst, strings.ToValidUTF8(v.text, "\ufffd"))
		case SearchNumber:
			dst = append(dst, v.digits()...)
		case SearchTime:
			dst = append(dst, `{"time":"`...)
			dst = v.time().AppendFormat(dst, timeLayout)
			dst = append(dst, `"}`...)
		default:
			dst = append(dst, "null"...)
		}
	}
	return append(dst, '}')
}

// UnmarshalJSON implements json.Unmarshaler. It drops attributes whose value is null, and
// does not apply the limits: see Check.
func (a *SearchAttributes) UnmarshalJSON(data []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return errors.New("search attributes must be an object of strings, numbers and times")
	}
	*a = nil
	for name, value := range raw {
		v, err := parseSearchJSON(bytes.TrimSpace(value))
		if err != nil {
			return fmt.Errorf("search attribute %q: %w", name, err)
		}
		if v.kind == SearchNothing {
			continue
		}
		if *a == nil {
			*a = make(SearchAttributes, len(raw))
		}
		(*a)[name] = v
	}
	return nil
}

func parseSearchJSON(value []byte) (SearchValue, error) {
	switch value[0] {
	case '"':
		var s string
		err := json.Unmarshal(value, &s)
		return SearchTextOf(s), err
	case 'n':
		return SearchValue{}, nil
	case '{':
		var t struct {
			Time *time.Time `json:"time"`
		}
		if err := json.Unmarshal(value, &t); err == nil && t.Time != nil {
			return SearchTimeOf(*t.Time), nil
		}
	case '[', 't', 'f':
	default:
		return ParseSearchNumber(string(value))
	}
	return SearchValue{}, errors.New(`expected a string, a number, or a time as {"time":"2026-11-21T15:04:05Z"}`)
}

// ParseSearchNumber parses a JSON number. A whole number that fits an int64 is exact; any
// other is rounded to the nearest float64.
func ParseSearchNumber(s string) (SearchValue, error) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return SearchNumberOf(n), nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return SearchValue{}, fmt.Errorf("%.40q is not a number, or is out of range", s)
	}
	return SearchNumberOf(f), nil
}
