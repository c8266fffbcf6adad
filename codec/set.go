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

// maxName is the longest mark, in bytes: that of a work item's codec field.
const maxName = 256

// blob is what the names of those codecs begin with that put a reference in place of a
// payload. They are reserved: no codec of an application has such a name, and a build
// without such a codec waits for one that has it, as with any codec that it does not know.
const blob = "blob"

// Set is the codecs of a process: one that seals, and those that open what is
// sealed already. A nil Set seals nothing and opens what is plain. It is safe
// for concurrent use.
type Set struct {
	current Codec
	byName  map[string]Codec
}

// NewSet returns a set that seals with current and opens what current or one
// of the others has sealed, and what is plain. With a nil current it only
// opens: before a first codec is used, and after the last.
//
// The error names a codec without a name, with a bad one, or with one that
// another has too.
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
			errs = append(errs, fmt.Errorf("codec: codec %d of the set has the name %.300q: 1 to %d bytes of UTF-8 are needed, without what ids must not have (wire.BadCharacter)", i+1, name, maxName))
		case strings.HasPrefix(name, blob):
			errs = append(errs, fmt.Errorf("codec: codec %d of the set has the name %q: names that begin with %q are reserved for references in place of payloads", i+1, name, blob))
		case s.byName[name] != nil:
			errs = append(errs, fmt.Errorf("codec: two codecs have the name %q: a mark has to lead to one", name))
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

// Names returns the marks that the set opens, sorted.
func (s *Set) Names() []string {
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.byName))
}

// mark is what stands beside what the set seals; empty if it seals nothing.
func (s *Set) mark() string {
	if s == nil || s.current == nil {
		return ""
	}
	return s.current.Name()
}

// seal returns the payload as it stands in JSON. An absent one stays absent.
func (s *Set) seal(plain []byte) ([]byte, error) {
	if len(plain) == 0 || s == nil || s.current == nil {
		return plain, nil
	}
	encoded, err := s.current.Encode(plain)
	if err != nil {
		return nil, err
	}
	sealed := make([]byte, 0, base64.StdEncoding.EncodedLen(len(encoded))+2)
	sealed = append(sealed, '"')
	sealed = base64.StdEncoding.AppendEncode(sealed, encoded)
	return append(sealed, '"'), nil
}

// open returns the plain payload of a sealed one.
func open(c Codec, sealed []byte) ([]byte, error) {
	if len(sealed) == 0 {
		return sealed, nil
	}
	encoded, err := unquote(sealed)
	if err != nil {
		return nil, fmt.Errorf("it is no JSON string of base64: %w", err)
	}
	return c.Decode(encoded)
}

// unquote reads the base64 of a JSON string. As seal writes it nothing in it is
// escaped; others may have done so.
func unquote(sealed []byte) ([]byte, error) {
	if n := len(sealed); n >= 2 && sealed[0] == '"' && sealed[n-1] == '"' {
		if encoded, err := base64.StdEncoding.AppendDecode(nil, sealed[1:n-1]); err == nil {
			return encoded, nil
		}
	}
	var encoded []byte
	err := json.Unmarshal(sealed, &encoded)
	return encoded, err
}

func (s *Set) find(mark string) Codec {
	if s == nil {
		return nil
	}
	return s.byName[mark]
}

// payload is a value among others under one mark, and how to call it; event is
// the name of the event that it came with, if it is of one.
type payload struct {
	value       *[]byte
	what, event string
}

// of says where a payload stands.
func (p *payload) of(where string) string {
	if p.event != "" {
		return fmt.Sprintf("%s %q of %s", p.what, p.event, where)
	}
	return p.what + " of " + where
}

// sealAll seals values that share a mark, which it returns. Where they stand is
// asked for an error only.
func (s *Set) sealAll(where func() string, values []payload) (mark string, err error) {
	for i := range values {
		p := &values[i]
		if len(*p.value) == 0 {
			continue
		}
		if *p.value, err = s.seal(*p.value); err != nil {
			return "", &SealError{Codec: s.mark(), Where: p.of(where()), Err: err}
		}
		mark = s.mark()
	}
	return mark, nil
}

// openAll opens values that share a mark. A mark that is not known is an error
// though no value is there: whoever wrote it meant something.
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
