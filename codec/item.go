package codec

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// SealItem returns a work item as it is sent: a copy with sealed payloads and
// their mark. One that has a mark already stays as it is. *SealError.
func (s *Set) SealItem(i wire.Item) (wire.Item, error) {
	if i.Codec != "" || s.mark() == "" {
		return i, nil
	}
	return s.sealItem(i)
}

func (s *Set) sealItem(i wire.Item) (wire.Item, error) {
	var room [4]payload
	mark, err := s.sealAll(func() string { return itemPlace(&i) }, itemPayloads(&i, room[:0]))
	i.Codec = mark
	return i, err
}

// OpenItem returns a work item with plain payloads. One without a mark is
// plain: anybody may send it. *UnknownError, *DamagedError.
func (s *Set) OpenItem(i wire.Item) (wire.Item, error) {
	if i.Codec == "" {
		return i, nil
	}
	sealed := i
	var room [4]payload
	if err := s.openAll(func() string { return itemPlace(&sealed) }, i.Codec, itemPayloads(&i, room[:0])); err != nil {
		return sealed, err
	}
	i.Codec = ""
	return i, nil
}

func itemPlace(i *wire.Item) string {
	return fmt.Sprintf("%s for instance %q", i.Kind, i.Target())
}

// itemPayloads appends what of an item is sealed, in copies of what it points
// to.
func itemPayloads(i *wire.Item, values []payload) []payload {
	values = append(values, payload{value: raw(&i.Input), what: "the input"}, payload{value: raw(&i.Data), what: "the data"}, payload{value: raw(&i.Result), what: "the result"})
	i.Events = slices.Clone(i.Events)
	for n := range i.Events {
		values = append(values, payload{raw(&i.Events[n].Data), "the data of event", i.Events[n].Name})
	}
	if i.Details != nil && len(i.Details.Details) > 0 {
		i.Details = copied(i.Details)
		values = append(values, payload{value: raw(&i.Details.Details), what: "the failure's details"})
	}
	return values
}

func raw(m *json.RawMessage) *[]byte { return (*[]byte)(m) }

// EncodeItem returns the body of a work item as it is sent: sealed, and such
// as its receiver takes it. The limits of wire hold for the plain item, and the
// limits of sealed items for the sealed one. *wire.ParseError, *SealError.
func (s *Set) EncodeItem(i wire.Item) ([]byte, error) {
	var limits wire.Limits
	plain, err := limits.Encode(&i)
	if err != nil || i.Codec != "" || s.mark() == "" {
		return plain, err
	}
	// Base64 is JSON, whatever it is of: what is sealed had to be checked before.
	sealed, err := s.sealItem(i)
	if err != nil {
		return nil, err
	}
	return limits.Encode(&sealed)
}
