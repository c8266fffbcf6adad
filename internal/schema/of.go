package schema

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
)

var (
	timeType        = reflect.TypeFor[time.Time]()
	numberType      = reflect.TypeFor[json.Number]()
	jsonMarshaler   = reflect.TypeFor[json.Marshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// Of returns the schema of a type. A type that encodes or decodes itself as JSON
// takes everything, because only its code knows what it takes; one that does so as
// text takes a string.
func Of(t reflect.Type) *Schema {
	m := &maker{names: map[reflect.Type]string{}, defs: map[string]*Schema{}}
	s := m.of(t)
	if s.Ref != "" && !s.Nullable && !m.again[s.Ref] {
		// The root stands at the root, if nothing inside refers to it.
		root := m.defs[s.Ref]
		delete(m.defs, s.Ref)
		s = root
	}
	if len(m.defs) > 0 {
		s.Defs = m.defs
	}
	return s
}

// maker makes the schemas of a type and of those inside it. Each struct with a name
// is made once, so a type that holds itself ends, and one that is used often stands
// once.
type maker struct {
	names map[reflect.Type]string
	defs  map[string]*Schema
	// again are the definitions that were referred to after they were begun.
	again map[string]bool
}

func (m *maker) of(t reflect.Type) *Schema {
	if t.Kind() == reflect.Pointer {
		s := m.of(t.Elem())
		s.Nullable = s.Type != "" || s.Ref != ""
		return s
	}
	if s := special(t); s != nil {
		return s
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Slice, reflect.Map, reflect.Array:
		if t.Name() != "" {
			return m.named(t)
		}
	}
	return m.made(t)
}

// named makes a type that has a name, once.
func (m *maker) named(t reflect.Type) *Schema {
	if name, started := m.names[t]; started {
		if m.again == nil {
			m.again = map[string]bool{}
		}
		m.again[name] = true
		return &Schema{Ref: name}
	}
	name := definition(t.Name())
	for n := 2; m.defs[name] != nil; n++ {
		name = definition(t.Name()) + strconv.Itoa(n)
	}
	m.names[t] = name
	s := &Schema{}
	m.defs[name] = s
	*s = *m.made(t)
	return &Schema{Ref: name}
}

// definition is the name of a type as it may stand in a reference.
func definition(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, name)
}

// special is the schema of a type that is not encoded by its kind; nil for others.
func special(t reflect.Type) *Schema {
	has := func(i reflect.Type) bool { return t.Implements(i) || reflect.PointerTo(t).Implements(i) }
	switch {
	case t == timeType:
		return &Schema{GoType: t.String(), Type: "string", Format: "date-time"}
	case t == numberType || has(jsonMarshaler) || has(jsonUnmarshaler):
		return &Schema{GoType: t.String()}
	case has(textUnmarshaler):
		return &Schema{GoType: t.String(), Type: "string"}
	case has(textMarshaler):
		return &Schema{GoType: t.String()} // It is written as text, and read by its kind.
	}
	return nil
}

// made is the schema of a type by its kind.
func (m *maker) made(t reflect.Type) *Schema {
	s := &Schema{GoType: t.String()}
	switch t.Kind() {
	case reflect.Bool:
		s.Type = "boolean"
	case reflect.String:
		s.Type = "string"
	case reflect.Float32, reflect.Float64:
		s.Type = "number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.Type = "integer"
		if bits := t.Bits(); bits < 64 {
			s.Min = json.Number(strconv.FormatInt(-1<<(bits-1), 10))
			s.Max = json.Number(strconv.FormatInt(1<<(bits-1)-1, 10))
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		s.Type, s.Min, s.Max = "integer", "0", json.Number(strconv.FormatUint(1<<t.Bits()-1, 10))
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 && special(t.Elem()) == nil {
			s.Type, s.Format, s.Nullable = "string", isBase64, true
			break
		}
		s.Type, s.Nullable, s.Items = "array", true, m.of(t.Elem())
	case reflect.Array:
		s.Type, s.Items = "array", m.of(t.Elem())
	case reflect.Map:
		s.Type, s.Nullable, s.Values = "object", true, m.of(t.Elem())
	case reflect.Struct:
		s.Type, s.Closed = "object", true
		for _, f := range fieldsOf(t) {
			s.Properties = append(s.Properties, Property{Name: f.name, Optional: f.optional, Schema: m.field(&f)})
		}
	}
	return s
}

// field is the schema of a field, which its tag may put into a text.
func (m *maker) field(f *field) *Schema {
	s := m.of(f.of)
	if !f.quoted || s.Ref != "" {
		return s
	}
	switch s.Type {
	case "integer", "number":
		return &Schema{GoType: s.GoType, Type: "string", Format: "number", Nullable: s.Nullable}
	case "boolean":
		return &Schema{GoType: s.GoType, Type: "string", Format: "boolean", Nullable: s.Nullable}
	case "string":
		return &Schema{GoType: s.GoType} // A text in a text, which nobody uses.
	}
	return s
}
