package turnstile

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	// decoders are the interfaces of types that decode their own JSON form.
	decoders = []reflect.Type{reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]()}
)

// encodable returns an [*EncodeError] if values of the type cannot be encoded as JSON, or cannot be
// decoded again. So a declaration that cannot work is reported when the application is built, not
// when it is first called.
func encodable[T any](what, name string) error {
	t := reflect.TypeFor[T]()
	if problem := unencodable(t, "", make(map[reflect.Type]bool)); problem != "" {
		return &EncodeError{What: what, Name: name, Type: t.String(), Err: errors.New(problem)}
	}
	return nil
}

// unencodable returns why the type, or a part of it, cannot be encoded as JSON and decoded again;
// "" if it can.
func unencodable(t reflect.Type, path string, seen map[reflect.Type]bool) string {
	if seen[t] || marshals(t) {
		return ""
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		switch {
		case t.NumMethod() == 0:
		case path == "":
			return fmt.Sprintf("a value of the interface type %s cannot be decoded from JSON", t)
		default:
			return fmt.Sprintf("the field %s has the interface type %s, which cannot be decoded from JSON: use a concrete type such as string, or leave the field out with json:\"-\"", path[1:], t)
		}
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		if path == "" {
			return fmt.Sprintf("a %s has no JSON form", t)
		}
		return fmt.Sprintf("the field %s has the type %s, which has no JSON form: leave the field out with json:\"-\"", path[1:], t)
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return unencodable(t.Elem(), path, seen)
	case reflect.Map:
		switch k := t.Key().Kind(); {
		case k == reflect.String, k >= reflect.Int && k <= reflect.Uintptr, t.Key().Implements(textMarshaler):
		default:
			return fmt.Sprintf("a map with keys of type %s has no JSON form", t.Key())
		}
		return unencodable(t.Elem(), path, seen)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Type.Kind() == reflect.Interface && decodes(t) {
				continue // The struct decodes the field itself.
			}
			if !f.IsExported() && !f.Anonymous || f.Tag.Get("json") == "-" {
				continue
			}
			if problem := unencodable(f.Type, path+"."+f.Name, seen); problem != "" {
				return problem
			}
		}
	}
	return ""
}

func decodes(t reflect.Type) bool {
	return slices.ContainsFunc(decoders, reflect.PointerTo(t).Implements)
}

func marshals(t reflect.Type) bool {
	for _, marshaler := range []reflect.Type{jsonMarshaler, textMarshaler} {
		if t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler) {
			return true
		}
	}
	return false
}

// sameByAddress reports whether encoding a pointer to the value gives the same JSON as encoding the
// value, so that a copy can be saved. It returns false if only the pointer type has an encoding
// method, because encoding/json calls such a method only on addressable values.
func sameByAddress(t reflect.Type) bool {
	for _, marshaler := range []reflect.Type{jsonMarshaler, textMarshaler} {
		if !t.Implements(marshaler) && reflect.PointerTo(t).Implements(marshaler) {
			return false
		}
	}
	switch t.Kind() {
	case reflect.Array:
		return sameByAddress(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !sameByAddress(t.Field(i).Type) {
				return false
			}
		}
	}
	return true
}
