package turnstile

import "github.com/turnstile-go/turnstile/history"

// SearchAttributes are names and values by which an instance is found: strings,
// numbers and times, see [SearchString], [SearchNumber] and [SearchTime]. Orchestration
// code sets them ([SetSearchAttributes]), and so may a start (client.WithSearchAttributes);
// client.Client.List finds by them (client.ListQuery.Where).
//
// At most 16 of an instance; names of 1 to 64 characters, a letter and then
// letters, digits, "_", "-" and "."; strings of at most 256 bytes of UTF-8
// without control characters; names and values together at most 2,048 bytes,
// where a number or a time counts 8.
//
// They are plain text in tables, messages and histories, also where a payload
// codec encrypts everything else: search needs readable values. Put
// no secret into them.
type SearchAttributes map[string]SearchValue

// SetSearchAttributes sets search attributes of the instance: those given. One
// that is given the zero [SearchValue] is removed, and all others stay. The
// instance is found by them once the turn is committed. They stay through
// continue-as-new and after the end; a purge removes them.
//
// It records no event: replay computes them again. A turn that sets attributes
// reads the instance record, and changes it, and an index item for each attribute
// whose value changes, in the same transaction as its events: 2 write units for the
// record and 2 for each attribute, and the write units of the index (see
// docs/guide/search.md). Setting a value that is there already costs the read alone.
//
// Error: [*history.SearchAttributeError].
func SetSearchAttributes(ctx Context, attributes SearchAttributes) error {
	return ctx.engine("SetSearchAttributes").SetSearchAttributes(attributes.stored())
}

// SearchAttributesOf returns the search attributes as they stand, those that the
// start brought or the execution before left among them. The map is the
// caller's own. It records nothing.
func SearchAttributesOf(ctx Context) SearchAttributes {
	return searchAttributesOf(ctx.engine("SearchAttributesOf").SearchAttributes())
}

// String returns them in the order of their names: customer = "c-1", total = 99.5.
func (a SearchAttributes) String() string { return a.stored().String() }

// MarshalJSON implements json.Marshaler: an object of strings, numbers, and times
// as {"time":"2026-11-21T15:04:05.000Z"}.
func (a SearchAttributes) MarshalJSON() ([]byte, error) {
	return a.stored().MarshalJSON()
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *SearchAttributes) UnmarshalJSON(data []byte) error {
	var stored history.SearchAttributes
	if err := stored.UnmarshalJSON(data); err != nil {
		return err
	}
	*a = searchAttributesOf(stored)
	return nil
}

// stored returns the attributes as histories and records hold them.
func (a SearchAttributes) stored() history.SearchAttributes {
	if a == nil {
		return nil
	}
	out := make(history.SearchAttributes, len(a))
	for name, v := range a {
		out[name] = v.stored
	}
	return out
}

func searchAttributesOf(stored history.SearchAttributes) SearchAttributes {
	out := make(SearchAttributes, len(stored))
	for name, v := range stored {
		out[name] = SearchValue{v}
	}
	return out
}
