package schema

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/near"
)

// Problem is what is wrong with data, or odd about it.
type Problem struct {
	// Path of the value, such as "items[2].price"; empty for the whole.
	Path string
	// Text says what is wrong with the value, behind its path.
	Text string
	// Wrong is set if the type cannot decode the data. Otherwise it can, but the sender most likely
	// meant something else.
	Wrong bool
}

// String is the problem in a sentence.
func (p Problem) String() string {
	if p.Path == "" {
		return "it " + p.Text
	}
	return p.Path + " " + p.Text
}

// mostProblems of one value are told.
const mostProblems = 20

// Check returns what is wrong with data of the schema, or odd about it, at most
// twenty problems; what is wrong stands first. No data at all is fine: the type has its
// zero value then.
func (s *Schema) Check(data []byte) []Problem {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return []Problem{{Text: "is not JSON: " + err.Error(), Wrong: true}}
	}
	if _, err := d.Token(); err != io.EOF {
		return []Problem{{Text: "has data after its JSON value", Wrong: true}}
	}
	c := checker{root: s}
	c.value("", value, s)
	slices.SortStableFunc(c.problems, func(a, b Problem) int {
		switch {
		case a.Wrong == b.Wrong:
			return 0
		case a.Wrong:
			return -1
		}
		return 1
	})
	return c.problems[:min(len(c.problems), mostProblems)]
}

type checker struct {
	root     *Schema
	problems []Problem
}

func (c *checker) say(wrong bool, path, format string, args ...any) {
	c.problems = append(c.problems, Problem{Path: path, Text: fmt.Sprintf(format, args...), Wrong: wrong})
}

// kindOf is what a JSON value is, in words.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "an array"
	}
	return "an object"
}

// wanted is what a schema takes, in words.
func (s *Schema) wanted() string {
	what := map[string]string{
		"object": "an object", "array": "an array", "string": "a string", "integer": "a whole number", "number": "a number", "boolean": "true or false",
	}[s.Type]
	if s.GoType != "" {
		what += " (" + s.GoType + ")"
	}
	return what
}

func (c *checker) value(path string, v any, s *Schema) {
	nullable := s.Nullable
	s = s.resolved(c.root)
	if s.Type == "" {
		return
	}
	if v == nil {
		if !nullable && !s.Nullable {
			c.say(false, path, "is null: the code gets the zero value of %s", s.wanted())
		}
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if s.Type == "object" {
			c.object(path, v, s)
			return
		}
	case []any:
		if s.Type == "array" || s.Format == isBase64 {
			items := s.Items
			if items == nil {
				items = &Schema{GoType: "byte", Type: "integer", Min: "0", Max: "255"}
			}
			for i, one := range v {
				c.value(path+"["+strconv.Itoa(i)+"]", one, items)
			}
			return
		}
	case string:
		if s.Type == "string" {
			c.text(path, v, s)
			return
		}
	case json.Number:
		switch s.Type {
		case "number":
			c.number(path, v, s)
			return
		case "integer":
			c.integer(path, v, s)
			return
		}
	case bool:
		if s.Type == "boolean" {
			return
		}
	}
	c.say(true, path, "is %s, but the code expects %s", kindOf(v), s.wanted())
}

func (c *checker) object(path string, v map[string]any, s *Schema) {
	below := func(name string) string {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	if !s.Closed {
		for _, name := range names {
			if s.Values != nil {
				c.value(below(name), v[name], s.Values)
			}
		}
		return
	}
	known := make([]string, len(s.Properties))
	for i, p := range s.Properties {
		known[i] = p.Name
	}
	given := make([]bool, len(known))
	for _, name := range names {
		at := slices.Index(known, name)
		if at < 0 {
			at = slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
		}
		if at < 0 {
			c.say(false, below(name), "is a field that %s does not have%s", s.GoType, near.Hint(name, known))
			continue
		}
		if known[at] != name {
			c.say(false, below(name), "is %q in %s", known[at], s.GoType)
		}
		given[at] = true
		c.value(below(name), v[name], s.Properties[at].Schema)
	}
	for i, p := range s.Properties {
		if !given[i] && !p.Optional && !p.Schema.Nullable && !p.Schema.resolved(c.root).Nullable {
			c.say(false, below(p.Name), "is missing: the code gets the zero value")
		}
	}
}

func (c *checker) text(path, v string, s *Schema) {
	switch s.Format {
	case "date-time":
		if _, err := time.Parse(time.RFC3339, v); err != nil {
			c.say(true, path, "is %q, but the code expects a time, such as 2026-01-02T15:04:05Z", short(v))
		}
	case isBase64:
		if _, err := base64.StdEncoding.DecodeString(v); err != nil {
			c.say(true, path, "is not base64: %v", err)
		}
	case "number":
		if _, err := strconv.ParseFloat(v, 64); err != nil {
			c.say(true, path, "is %q, but the code expects a number in a string, such as \"12\"", short(v))
		}
	case "boolean":
		if v != "true" && v != "false" {
			c.say(true, path, "is %q, but the code expects \"true\" or \"false\"", short(v))
		}
	}
}

func (c *checker) number(path string, v json.Number, s *Schema) {
	bits := 64
	if s.GoType == "float32" {
		bits = 32
	}
	if _, err := strconv.ParseFloat(string(v), bits); err != nil {
		c.say(true, path, "is %s, which is too large for the code's %s", short(string(v)), s.GoType)
	}
}

func (c *checker) integer(path string, v json.Number, s *Schema) {
	signed, err := strconv.ParseInt(string(v), 10, 64)
	unsigned, err2 := strconv.ParseUint(string(v), 10, 64)
	if strings.ContainsAny(string(v), ".eE") {
		c.say(true, path, "is %s, but the code expects %s without a decimal point or exponent", short(string(v)), s.wanted())
		return
	}
	inside := err == nil
	if strings.HasPrefix(string(s.Min), "0") && s.Max != "" {
		most, _ := strconv.ParseUint(string(s.Max), 10, 64)
		inside = err2 == nil && unsigned <= most
	} else if s.Min != "" {
		least, _ := strconv.ParseInt(string(s.Min), 10, 64)
		most, _ := strconv.ParseInt(string(s.Max), 10, 64)
		inside = err == nil && least <= signed && signed <= most
	}
	if !inside {
		c.say(true, path, "is %s, which is outside the range of the code's %s", short(string(v)), s.GoType)
	}
}

// short shortens a text for a message.
func short(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
