package timeline

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// labelSeparator separates labels in a history.
	labelSeparator = " / "
	// mostLabelled is the size in bytes of the largest input from which a label is taken.
	mostLabelled = 4096
	// longestLabel is the maximum length of a label, in characters.
	longestLabel = 80
	// deepest is how deep fields are searched in an input.
	deepest = 3
)

// tellApart gives each member of a group a distinguishing text: the label from the code, without what the first members have in common;
// otherwise a field of the input that differs between the first members; otherwise the instance; otherwise the whole input.
func (t *Timeline) tellApart(g *Group, inputs map[int64][]byte) {
	var first [][]byte
	var labels [][]string
	for _, n := range g.Rows[:min(LeastGroup, len(g.Rows))] {
		first = append(first, inputs[t.Rows[n].EventID])
		labels = append(labels, labelsOf(&t.Rows[n]))
	}
	path, shared := distinct(first), common(labels)
	g.Label = strings.Join(shared, labelSeparator)
	own := 0
	for i, n := range g.Rows {
		r := &t.Rows[n]
		if rest := beyond(labelsOf(r), shared); rest != "" {
			r.Member = rest
			if i < len(first) {
				own++
			}
			continue
		}
		r.Member = r.ofInput(path, inputs[r.EventID])
	}
	if own < len(first) {
		g.By = strings.Join(path, ".")
	}
}

// ofInput returns the text by which the input distinguishes a row.
func (r *Row) ofInput(path []string, input []byte) string {
	if len(path) > 0 {
		if value, scalar := scalarAt(input, path); scalar {
			return shorten(value)
		}
	}
	if value, scalar := scalarOf(input); scalar {
		return shorten(value)
	}
	if r.Instance != "" {
		return shorten(r.Instance)
	}
	return shorten(string(input))
}

// labelsOf returns the labels of the contexts around a row, outermost first.
func labelsOf(r *Row) []string {
	if r.Label == "" {
		return nil
	}
	return strings.Split(r.Label, labelSeparator)
}

// common returns the longest common prefix of the labels.
func common(labels [][]string) []string {
	shared := labels[0]
	for _, l := range labels[1:] {
		n := 0
		for n < min(len(shared), len(l)) && shared[n] == l[n] {
			n++
		}
		shared = shared[:n]
	}
	return shared
}

// beyond returns a row's labels after the shared prefix, or all of them if they do not start with it.
func beyond(labels, shared []string) string {
	if len(labels) >= len(shared) && slices.Equal(labels[:len(shared)], shared) {
		labels = labels[len(shared):]
	}
	return strings.Join(labels, labelSeparator)
}

// distinct returns the path of the field that distinguishes the inputs, or an empty path if no field does.
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

// rank returns how likely a field of this name is to distinguish things.
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

// paths returns the paths of the scalar fields of an object, in order.
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

// scalarAt returns the scalar at a path.
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

// scalarOf returns the text of a string, a number or a boolean.
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

// shorten truncates a label to longestLabel characters and makes it valid text.
func shorten(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if utf8.RuneCountInString(text) <= longestLabel {
		return text
	}
	runes := []rune(text)
	return string(runes[:longestLabel-1]) + "…"
}
