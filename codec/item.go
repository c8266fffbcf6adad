package codec

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// EncodeItem returns a work item in the form in which it is sent: a copy with encoded payloads and
// the name of the codec. An item that is already encoded is returned unchanged. The error is a
// [*EncodeError].
func (s *Set) EncodeItem(i wire.Item) (wire.Item, error) {
	if i.Codec != "" || s.mark() == "" {
		return i, nil
	}
	return s.encodeItem(i)
}

func (s *Set) encodeItem(i wire.Item) (wire.Item, error) {
	var room [4]payload
	mark, err := s.encodeAll(func() string { return itemPlace(&i) }, itemPayloads(&i, room[:0]))
	i.Codec = mark
	return i, err
}

// DecodeItem returns a work item with decoded payloads. An item without a codec is already decoded,
// because any sender may send one. The error is an [*UnknownError] or a [*DamagedError].
func (s *Set) DecodeItem(i wire.Item) (wire.Item, error) {
	if i.Codec == "" {
		return i, nil
	}
	encoded := i
	var room [4]payload
	if err := s.openAll(func() string { return itemPlace(&encoded) }, i.Codec, itemPayloads(&i, room[:0])); err != nil {
		return encoded, err
	}
	i.Codec = ""
	return i, nil
}

func itemPlace(i *wire.Item) string {
	return fmt.Sprintf("%s for instance %q", i.Kind, i.Target())
}

// itemPayloads appends the payloads of an item that are encoded. It copies the structs that the
// item points to.
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

// MarshalItem returns the body of a work item in the form in which it is sent, with encoded
// payloads. It checks that the receiver will accept it: the decoded item must be within the limits
// of wire, and the encoded item within the limits of encoded items. The error is a
// [*wire.ParseError] or a [*EncodeError].
func (s *Set) MarshalItem(i wire.Item) ([]byte, error) {
	var limits wire.Limits
	plain, err := limits.Encode(&i)
	if err != nil || i.Codec != "" || s.mark() == "" {
		return plain, err
	}
	// Base64 is valid JSON whatever it contains, so the payloads were checked before encoding.
	encoded, err := s.encodeItem(i)
	if err != nil {
		return nil, err
	}
	return limits.Encode(&encoded)
}

func copied[T any](p *T) *T {
	c := *p
	return &c
}
