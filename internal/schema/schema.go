// Package schema tells what JSON a Go type takes: as a JSON Schema, for forms and
// other programs, as an example to fill in, and by a check of data that names the
// field which is wrong. The schema follows encoding/json, and needs nothing but the
// type, so it can be written where the code runs and be used elsewhere.
package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Schema is the part of JSON Schema (2020-12) that Go types need. The zero value
// takes everything: so does a type that decodes itself.
type Schema struct {
	// Ref is the name of a schema in Defs of the root. Nothing else is set then, but
	// Nullable.
	Ref string
	// Defs of the root, by name.
	Defs map[string]*Schema
	// GoType is the type that it was made from, for people.
	GoType string
	// Type is "object", "array", "string", "integer", "number" or "boolean"; empty for any.
	Type string
	// Nullable is set if null is one of the values that the type has.
	Nullable bool
	// Format of a string: "date-time", or "base64", or "number" and "boolean" for what
	// the tag json:",string" puts into a text.
	Format string
	// Min and Max bound an integer; empty for no bound but that of 64 bits.
	Min, Max json.Number
	// Properties of a struct, in their order; Closed says that it has no others.
	Properties []Property
	Closed     bool
	// Items of an array.
	Items *Schema
	// Values of a map.
	Values *Schema
}

// Property is a field of a struct.
type Property struct {
	Name string
	// Optional is set if the type omits the field when it is empty.
	Optional bool
	Schema   *Schema
}

// wire is a Schema as it stands in JSON.
type wire struct {
	Ref         string             `json:"$ref,omitempty"`
	AnyOf       []*wire            `json:"anyOf,omitempty"`
	Title       string             `json:"title,omitempty"`
	Type        any                `json:"type,omitempty"`
	Format      string             `json:"format,omitempty"`
	Encoding    string             `json:"contentEncoding,omitempty"`
	Minimum     json.Number        `json:"minimum,omitempty"`
	Maximum     json.Number        `json:"maximum,omitempty"`
	Properties  *properties        `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Items       *Schema            `json:"items,omitempty"`
	Additional  json.RawMessage    `json:"additionalProperties,omitempty"`
	Definitions map[string]*Schema `json:"$defs,omitempty"`
}

const (
	defs     = "#/$defs/"
	null     = "null"
	isBase64 = "base64"
)

// MarshalJSON writes it as JSON Schema.
func (s *Schema) MarshalJSON() ([]byte, error) {
	w := wire{Title: s.GoType, Format: s.Format, Minimum: s.Min, Maximum: s.Max, Items: s.Items, Definitions: s.Defs}
	switch {
	case s.Ref != "" && s.Nullable:
		w.AnyOf = []*wire{{Ref: defs + s.Ref}, {Type: null}}
	case s.Ref != "":
		w.Ref = defs + s.Ref
	case s.Type != "" && s.Nullable:
		w.Type = []string{s.Type, null}
	case s.Type != "":
		w.Type = s.Type
	}
	if s.Format == isBase64 {
		w.Format, w.Encoding = "", isBase64
	}
	if s.Closed {
		w.Properties, w.Additional = (*properties)(&s.Properties), json.RawMessage("false")
		for _, p := range s.Properties {
			if !p.Optional {
				w.Required = append(w.Required, p.Name)
			}
		}
	}
	if s.Values != nil {
		values, err := json.Marshal(s.Values)
		if err != nil {
			return nil, err
		}
		w.Additional = values
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Schema) UnmarshalJSON(data []byte) error {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	*s = Schema{GoType: w.Title, Format: w.Format, Min: w.Minimum, Max: w.Maximum, Items: w.Items, Defs: w.Definitions}
	if w.Encoding == isBase64 {
		s.Format = isBase64
	}
	for _, one := range w.AnyOf {
		if one.Ref != "" {
			w.Ref, s.Nullable = one.Ref, true
		}
	}
	if w.Ref != "" {
		s.Ref = w.Ref[min(len(defs), len(w.Ref)):]
	}
	switch t := w.Type.(type) {
	case string:
		s.Type = t
	case []any:
		for _, one := range t {
			if text, _ := one.(string); text == null {
				s.Nullable = true
			} else {
				s.Type = text
			}
		}
	}
	switch {
	case string(w.Additional) == "false":
		s.Closed = true
		if w.Properties != nil {
			s.Properties = *w.Properties
		}
		for i := range s.Properties {
			s.Properties[i].Optional = !slices.Contains(w.Required, s.Properties[i].Name)
		}
	case len(w.Additional) > 0:
		s.Values = new(Schema)
		return json.Unmarshal(w.Additional, s.Values)
	}
	return nil
}

// properties keep their order in JSON.
type properties []Property

func (p *properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, one := range *p {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(one.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(one.Schema)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (p *properties) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		text, ok := name.(string)
		if !ok {
			return fmt.Errorf("schema: properties must be an object, but they start with %v", name)
		}
		one := Property{Name: text, Schema: new(Schema)}
		if err := d.Decode(one.Schema); err != nil {
			return err
		}
		*p = append(*p, one)
	}
	return nil
}

// TypeName is the Go type that it was made from.
func (s *Schema) TypeName() string { return s.resolved(s).GoType }

// resolved follows a reference.
func (s *Schema) resolved(root *Schema) *Schema {
	if s.Ref == "" {
		return s
	}
	if to := root.Defs[s.Ref]; to != nil {
		return to
	}
	return &Schema{}
}
