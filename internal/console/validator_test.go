package console_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// validator checks values against the schemas of openapi.json, as far as those go.
// An object may have no property that its schema does not name.
type validator struct {
	doc      object
	problems []string
}

func (v *validator) bad(where, format string, args ...any) {
	v.problems = append(v.problems, where+" "+fmt.Sprintf(format, args...))
}

func (v *validator) value(where string, x any, schema object) {
	if ref, ok := schema["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/components/schemas/")
		of, ok := at(v.doc, "components", "schemas")[name].(object)
		if !ok {
			v.bad(where, "has the schema %s, which is not there", name)
			return
		}
		schema = of
	}
	if any, ok := schema["anyOf"].([]any); ok {
		v.anyOf(where, x, any)
		return
	}
	switch schema["type"] {
	case nil:
	case "object":
		o, ok := x.(object)
		if !ok {
			v.bad(where, "is %T, want an object", x)
			return
		}
		v.object(where, o, schema)
	case "array":
		list, ok := x.([]any)
		if !ok {
			v.bad(where, "is %T, want an array", x)
			return
		}
		items, _ := schema["items"].(object)
		for i := range list {
			v.value(fmt.Sprintf("%s[%d]", where, i), list[i], items)
		}
	case "string":
		s, ok := x.(string)
		if !ok {
			v.bad(where, "is %T, want a string", x)
		} else if _, err := time.Parse(time.RFC3339Nano, s); schema["format"] == "date-time" && (err != nil || !strings.HasSuffix(s, "Z")) {
			v.bad(where, "is %q, want a time in UTC", s)
		}
	case "integer":
		if n, ok := x.(float64); !ok || n != math.Trunc(n) {
			v.bad(where, "is %v, want a whole number", x)
		}
	case "number":
		if _, ok := x.(float64); !ok {
			v.bad(where, "is %T, want a number", x)
		}
	case "boolean":
		if _, ok := x.(bool); !ok {
			v.bad(where, "is %T, want true or false", x)
		}
	default:
		v.bad(where, "has a schema of the type %v, which this validator does not know", schema["type"])
	}
}

func (v *validator) object(where string, o, schema object) {
	properties, _ := schema["properties"].(object)
	others, _ := schema["additionalProperties"].(object)
	for name, x := range o {
		property, known := properties[name].(object)
		switch {
		case known:
			v.value(where+"."+name, x, property)
		case others != nil:
			v.value(where+"."+name, x, others)
		default:
			v.bad(where, "has %q, which its schema does not name", name)
		}
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := o[name.(string)]; !ok {
			v.bad(where, "has no %q", name)
		}
	}
}

func (v *validator) anyOf(where string, x any, schemas []any) {
	for _, s := range schemas {
		one := validator{doc: v.doc}
		if one.value(where, x, s.(object)); one.problems == nil {
			return
		}
	}
	v.bad(where, "is %v, which is none of the %d that it may be", x, len(schemas))
}

func TestTheValidatorFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	doc := object{"components": object{"schemas": object{"Order": object{
		"type": "object", "required": []any{"id"},
		"properties": object{
			"id": object{"type": "string"}, "n": object{"type": "integer"}, "at": object{"type": "string", "format": "date-time"},
			"lines": object{"type": "array", "items": object{"type": "boolean"}},
			"by":    object{"anyOf": []any{object{"type": "string"}, object{"type": "number"}}},
		},
	}}}}
	for _, c := range []struct {
		is   object
		want string
	}{
		{object{"id": "x", "n": 1.0, "at": "2030-01-01T00:00:00.5Z", "lines": []any{true}, "by": 1.5}, ""},
		{object{}, `has no "id"`},
		{object{"id": 1.0}, "want a string"},
		{object{"id": "x", "n": 1.5}, "want a whole number"},
		{object{"id": "x", "at": "yesterday"}, "want a time"},
		{object{"id": "x", "at": "2030-01-01T00:00:00+01:00"}, "want a time in UTC"},
		{object{"id": "x", "lines": []any{true, "no"}}, "lines[1] is string"},
		{object{"id": "x", "by": true}, "none of the 2"},
		{object{"id": "x", "new": true}, `has "new"`},
	} {
		v := validator{doc: doc}
		v.value("it", c.is, object{"$ref": "#/components/schemas/Order"})
		got := strings.Join(v.problems, "; ")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%v: %q, want %q", c.is, got, c.want)
		}
	}
}
