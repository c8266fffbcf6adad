package timeline

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

const (
	// mostLabelled is how large an input may be from which a label is taken, in bytes.
	mostLabelled = 4096
	// longestLabel is how many characters a label has at most.
	longestLabel = 80
	// deepest is how far down in an input a field is looked for.
	deepest = 3
)

// label gives each member of a group the label that tells it apart: a field of its
// input that was another in each of the first ones, else its instance, else the whole
// input.
func (t *Timeline) label(g *Group, inputs map[int64][]byte) {
	var first [][]byte
	for _, n := range g.Rows[:min(LeastGroup, len(g.Rows))] {
		first = append(first, inputs[t.Rows[n].EventID])
	}
	path := distinct(first)
	g.By = strings.Join(path, ".")
	for _, n := range g.Rows {
		r := &t.Rows[n]
		input := inputs[r.EventID]
		if len(path) > 0 {
			if value, scalar := scalarAt(input, path); scalar {
				r.Label = shorten(value)
				continue
			}
		}
		if value, scalar := scalarOf(input); scalar {
			r.Label = shorten(value)
		} else if r.Instance != "" {
			r.Label = shorten(r.Instance)
		} else {
			r.Label = shorten(string(input))
		}
	}
}

// distinct is the path of the field by which inputs are told apart; empty for none.
func distinct(inputs [][]byte) []string {
	if len(inputs) < 2 {
		return nil
	}
	var best []string
	worth := 0
	for _, path := range paths(inputs[0], nil) {
		seen := map[string]bool{}
		for _, input := range inputs {
			value, scalar := scalarAt(input, path)
			if !scalar || value == "" || seen[value] {
				break
			}
			seen[value] = true
		}
		if w := rank(path); len(seen) == len(inputs) && w > worth {
			best, worth = path, w
		}
	}
	return best
}

// rank is how well a field's name says that it tells things apart.
func rank(path []string) int {
	name := strings.ToLower(path[len(path)-1])
	near := 2*deepest - len(path)
	switch {
	case name == "id", name == "key":
		return 30 + near
	case strings.HasSuffix(name, "id"), strings.HasSuffix(name, "key"), strings.HasSuffix(name, "number"):
		return 20 + near
	case name == "name", strings.HasSuffix(name, "name"), name == "sku", name == "email":
		return 10 + near
	}
	return near
}

// paths are those of the scalar fields of an object, in order.
func paths(input []byte, above []string) [][]string {
	if len(above) == deepest {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(input))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	var out [][]string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return out
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return out
		}
		field, _ := name.(string)
		path := append(above[:len(above):len(above)], field)
		if _, scalar := scalarOf(value); scalar {
			out = append(out, path)
		} else {
			out = append(out, paths(value, path)...)
		}
	}
	return out
}

// scalarAt is the scalar at a path.
func scalarAt(input []byte, path []string) (string, bool) {
	for _, name := range path {
		var fields map[string]json.RawMessage
		if json.Unmarshal(input, &fields) != nil {
			return "", false
		}
		input = fields[name]
	}
	return scalarOf(input)
}

// scalarOf is the text of a string, a number or a boolean.
func scalarOf(value []byte) (string, bool) {
	value = bytes.TrimSpace(value)
	if len(value) == 0 || value[0] == '{' || value[0] == '[' || value[0] == 'n' {
		return "", false
	}
	if value[0] == '"' {
		var text string
		err := json.Unmarshal(value, &text)
		return text, err == nil
	}
	return string(value), json.Valid(value)
}

// shorten keeps a label to its length, and to text.
func shorten(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if utf8.RuneCountInString(text) <= longestLabel {
		return text
	}
	runes := []rune(text)
	return string(runes[:longestLabel-1]) + "…"
}
