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
	// decoders are what a type has that reads its own JSON form.
	decoders = []reflect.Type{reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]()}
)

// encodable returns an [*EncodeError] if no value of the type, or none with all
// its fields set, has a JSON form, or one that can be read again: so a declaration that can't work is found
// where the application is put together, and not when it is first called.
func encodable[T any](what, name string) error {
	t := reflect.TypeFor[T]()
	if problem := unencodable(t, "", make(map[reflect.Type]bool)); problem != "" {
		return &EncodeError{What: what, Name: name, Type: t.String(), Err: errors.New(problem)}
	}
	return nil
}

// unencodable returns what of a type has no JSON form that can be read again, "" if
// all has.
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
			return fmt.Sprintf("a value of the interface %s cannot be read from JSON again", t)
		default:
			return fmt.Sprintf("a value of the interface %s cannot be read from JSON again, and %s is one: use a type such as string, or leave it out with json:\"-\"", t, path[1:])
		}
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		if path == "" {
			return fmt.Sprintf("a %s has no JSON form", t)
		}
		return fmt.Sprintf("a %s has no JSON form, and %s is one: leave it out with json:\"-\"", t, path[1:])
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
				continue // It reads the field in its own way.
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

// sameByAddress reports whether a value has the same JSON form if it is encoded
// by its address, which saves a copy: not where a method that encodes is one of
// the pointer alone, for it is called only on what can be addressed.
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
