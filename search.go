package turnstile

import (
	"maps"

	"github.com/turnstile-go/turnstile/history"
)

// SearchAttributes are names and values by which clients find instances: strings, numbers and
// times, see [SearchString], [SearchNumber] and [SearchTime]. Orchestration code sets them with
// [SetSearchAttributes], a client can set them at the start (client.WithSearchAttributes), and
// client.Client.List searches by them (client.ListQuery.Where).
//
// An instance has at most 16. A name has 1 to 64 characters: a letter, then letters, digits, "_",
// "-" and ".". A string has at most 256 bytes of UTF-8 without control characters. Names and values
// together have at most 2,048 bytes; a number or a time counts as 8.
//
// Search attributes are plain text in tables, messages and histories, even if a payload codec
// encrypts everything else, because search needs readable values. Put no secrets into them.
//
//	type SearchAttributes map[string]SearchValue
//
// In JSON they are an object of strings, numbers, and times as {"time":"2026-11-21T15:04:05.000Z"}.
type SearchAttributes = history.SearchAttributes

// SetSearchAttributes sets the given search attributes of the instance. An attribute with the zero
// [SearchValue] is removed, and all other attributes stay. After the turn is committed, clients
// find the instance by them. Attributes survive continue-as-new and the end of the instance; a
// purge removes them.
//
// It records no event: replay computes the attributes again. A turn that sets attributes reads the
// instance record. In the same transaction as its events it writes the record and one index item
// for each attribute whose value changes: 2 write units for the record, 2 for each attribute, and
// the write units of the index (see docs/guide/search.md). Setting an unchanged value costs only
// the read.
//
// Error: [*history.SearchAttributeError].
func SetSearchAttributes(ctx Context, attributes SearchAttributes) error {
	return ctx.engine("SetSearchAttributes").SetSearchAttributes(attributes)
}

// SearchAttributesOf returns the current search attributes, including those from the start or the
// previous execution. The caller may modify the map. It records nothing.
func SearchAttributesOf(ctx Context) SearchAttributes {
	out := SearchAttributes{}
	maps.Copy(out, ctx.engine("SearchAttributesOf").SearchAttributes())
	return out
}
