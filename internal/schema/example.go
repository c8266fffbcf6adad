package schema

import (
	"bytes"
	"encoding/json"
)

// longestExample is the size in bytes from which on nothing more is filled in.
const longestExample = 16 << 10

// Example returns data of the schema to fill in, in lines: every field that there is,
// empty, one element for a list. Nil where there is nothing to fill in: for a type
// without fields.
func (s *Schema) Example() json.RawMessage {
	if of := s.resolved(s); of.Closed && len(of.Properties) == 0 {
		return nil
	}
	var b bytes.Buffer
	s.example(&b, s, map[string]bool{})
	var lines bytes.Buffer
	// What was put together here is JSON.
	_ = json.Indent(&lines, b.Bytes(), "", "  ")
	return lines.Bytes()
}

// example writes an example; inside are the definitions that it stands in.
func (s *Schema) example(b *bytes.Buffer, root *Schema, inside map[string]bool) {
	if b.Len() > longestExample {
		b.WriteString("null") // Types that hold each other many times have examples without end.
		return
	}
	if s.Ref != "" {
		if inside[s.Ref] {
			b.WriteString("null") // A type that holds itself ends here.
			return
		}
		inside[s.Ref] = true
		defer delete(inside, s.Ref)
		s = s.resolved(root)
	}
	switch s.Type {
	case "object":
		b.WriteByte('{')
		for i, p := range s.Properties {
			if i > 0 {
				b.WriteByte(',')
			}
			name, _ := json.Marshal(p.Name) // A text always becomes JSON.
			b.Write(name)
			b.WriteByte(':')
			p.Schema.example(b, root, inside)
		}
		b.WriteByte('}')
	case "array":
		b.WriteByte('[')
		if of := s.Items; of != nil && !inside[of.Ref] {
			of.example(b, root, inside)
		}
		b.WriteByte(']')
	case "string":
		b.WriteString(map[string]string{"date-time": `"2026-01-02T15:04:05Z"`, "number": `"0"`, "boolean": `"false"`}[s.Format])
		if s.Format == "" || s.Format == isBase64 {
			b.WriteString(`""`)
		}
	case "integer", "number":
		b.WriteByte('0')
	case "boolean":
		b.WriteString("false")
	default:
		b.WriteString("null")
	}
}
