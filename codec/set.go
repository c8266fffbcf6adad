package codec

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// maxName is the maximum length of a codec's name in bytes, which is also the limit for the codec
// field of a work item.
const maxName = 256

// blob is the prefix of the names of codecs that replace a payload by a reference. The prefix is
// reserved: no codec of an application has such a name. A build without such a codec leaves its
// messages to a build that has it, as with any other unknown codec.
const blob = "blob"

// Set has the codecs of a process: one that encodes, and others that only decode. A nil Set encodes
// nothing, and reads only payloads that are not encoded. A Set is safe for concurrent use.
type Set struct {
	current Codec
	byName  map[string]Codec
}

// NewSet returns a set that encodes with current. It decodes payloads that current or one of the
// others has encoded, and reads payloads that are not encoded. With a nil current it encodes
// nothing: use such a set before you deploy the first codec, and after you remove the last.
//
// NewSet returns an error if a codec is nil, or if its name is invalid or used twice.
func NewSet(current Codec, others ...Codec) (*Set, error) {
	s := &Set{current: current, byName: map[string]Codec{}}
	all := others
	if current != nil {
		all = append([]Codec{current}, others...)
	}
	var errs []error
	for i, c := range all {
		if c == nil {
			errs = append(errs, fmt.Errorf("codec: codec %d of the set is nil", i+1))
			continue
		}
		name := c.Name()
		switch {
		case name == "" || len(name) > maxName || !utf8.ValidString(name) || bad(name):
			errs = append(errs, fmt.Errorf("codec: codec %d of the set has the name %.300q: it must have 1 to %d bytes of UTF-8 without control characters", i+1, name, maxName))
		case strings.HasPrefix(name, blob):
			errs = append(errs, fmt.Errorf("codec: codec %d of the set has the name %q: names that begin with %q are reserved for codecs that replace payloads by references", i+1, name, blob))
		case s.byName[name] != nil:
			errs = append(errs, fmt.Errorf("codec: two codecs of the set have the name %q: each needs its own name", name))
		}
		s.byName[name] = c
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return s, nil
}

func bad(name string) bool {
	what, _ := wire.BadCharacter(name)
	return what != ""
}

// Names returns the names of the set's codecs, sorted.
func (s *Set) Names() []string {
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.byName))
}

// mark returns the name of the codec that encodes; empty if the set encodes nothing.
func (s *Set) mark() string {
	if s == nil || s.current == nil {
		return ""
	}
	return s.current.Name()
}

// encode returns the encoded payload as JSON. An absent payload stays absent.
func (s *Set) encode(plain []byte) ([]byte, error) {
	if len(plain) == 0 || s == nil || s.current == nil {
		return plain, nil
	}
	encoded, err := s.current.Encode(plain)
	if err != nil {
		return nil, err
	}
	quoted := make([]byte, 0, base64.StdEncoding.EncodedLen(len(encoded))+2)
	quoted = append(quoted, '"')
	quoted = base64.StdEncoding.AppendEncode(quoted, encoded)
	return append(quoted, '"'), nil
}

// open decodes an encoded payload.
func open(c Codec, quoted []byte) ([]byte, error) {
	if len(quoted) == 0 {
		return quoted, nil
	}
	encoded, err := unquote(quoted)
	if err != nil {
		return nil, fmt.Errorf("it is not a JSON string in base64: %w", err)
	}
	return c.Decode(encoded)
}

// unquote decodes a JSON string in base64. The string that encode writes has no escapes, but
// another writer may have added some.
func unquote(quoted []byte) ([]byte, error) {
	if n := len(quoted); n >= 2 && quoted[0] == '"' && quoted[n-1] == '"' {
		if encoded, err := base64.StdEncoding.AppendDecode(nil, quoted[1:n-1]); err == nil {
			return encoded, nil
		}
	}
	var encoded []byte
	err := json.Unmarshal(quoted, &encoded)
	return encoded, err
}

func (s *Set) find(mark string) Codec {
	if s == nil {
		return nil
	}
	return s.byName[mark]
}

// payload is one of several values that share a codec name, with its description; event is the name
// of the event that it belongs to, if any.
type payload struct {
	value       *[]byte
	what, event string
}

// of describes the place of a payload.
func (p *payload) of(where string) string {
	if p.event != "" {
		return fmt.Sprintf("%s %q of %s", p.what, p.event, where)
	}
	return p.what + " of " + where
}

// encodeAll encodes values that share a codec name, which it returns. It calls where only for an
// error.
func (s *Set) encodeAll(where func() string, values []payload) (mark string, err error) {
	for i := range values {
		p := &values[i]
		if len(*p.value) == 0 {
			continue
		}
		if *p.value, err = s.encode(*p.value); err != nil {
			return "", &EncodeError{Codec: s.mark(), Where: p.of(where()), Err: err}
		}
		mark = s.mark()
	}
	return mark, nil
}

// openAll decodes values that share a codec name. An unknown name is an error even without values,
// because the writer encoded something.
func (s *Set) openAll(where func() string, mark string, values []payload) error {
	if mark == "" {
		return nil
	}
	c := s.find(mark)
	if c == nil {
		return &UnknownError{Codec: mark, Where: where(), Known: s.Names()}
	}
	for i := range values {
		p := &values[i]
		plain, err := open(c, *p.value)
		if err != nil {
			return &DamagedError{Codec: mark, Where: p.of(where()), Err: err}
		}
		*p.value = plain
	}
	return nil
}
