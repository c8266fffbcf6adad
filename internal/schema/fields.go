package schema

import (
	"reflect"
	"strings"
)

// field is a field of a struct as encoding/json sees it.
type field struct {
	name             string
	of               reflect.Type
	optional, quoted bool
	tagged           bool
	depth            int
}

// fieldsOf returns the fields that a struct has in JSON, those of embedded structs
// among them. Of several with one name the least deep counts, of those the one with a
// tag, and none if there are several still: the rules of Go, and of encoding/json.
func fieldsOf(t reflect.Type) []field {
	var all []field
	collect(t, 0, &all, map[reflect.Type]bool{})
	var out []field
	for _, f := range all {
		if dominant(f, all) {
			out = append(out, f)
		}
	}
	return out
}

func dominant(f field, all []field) bool {
	same := 0
	for _, other := range all {
		if other.name != f.name {
			continue
		}
		if other.depth < f.depth || other.depth == f.depth && other.tagged && !f.tagged {
			return false
		}
		if other.depth == f.depth && other.tagged == f.tagged {
			same++
		}
	}
	return same == 1
}

func collect(t reflect.Type, depth int, to *[]field, above map[reflect.Type]bool) {
	if above[t] {
		return // It embeds itself: what is deeper never counts.
	}
	above[t] = true
	defer delete(above, t)
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		if tag == "-" {
			continue
		}
		inner := f.Type
		if f.Anonymous && inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if !f.IsExported() && (!f.Anonymous || inner.Kind() != reflect.Struct) {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if f.Anonymous && name == "" && inner.Kind() == reflect.Struct {
			collect(inner, depth+1, to, above)
			continue
		}
		if !f.IsExported() {
			continue
		}
		one := field{name: name, of: f.Type, tagged: name != "", depth: depth}
		if name == "" {
			one.name = f.Name
		}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omitempty", "omitzero":
				one.optional = true
			case "string":
				one.quoted = true
			}
		}
		*to = append(*to, one)
	}
}
