package program

import "encoding/json"

// Text returns a value in the form that a transcript has.
func Text(v []byte) string {
	if s, ok := plainText(v); ok {
		return s
	}
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

// plainText reads the JSON of a text of printable ASCII without escapes, which nearly all texts
// are.
func plainText(v []byte) (string, bool) {
	if len(v) < 2 || v[0] != '"' || v[len(v)-1] != '"' {
		return "", false
	}
	v = v[1 : len(v)-1]
	for _, c := range v {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			return "", false
		}
	}
	return string(v), true
}
