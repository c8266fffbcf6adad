package jsonscan

import "bytes"

// Kind names the type of a JSON text, with its article.
func Kind(text []byte) string {
	switch text = bytes.TrimSpace(text); {
	case len(text) == 0:
		return "nothing"
	case text[0] == '{':
		return "an object"
	case text[0] == '[':
		return "an array"
	case text[0] == '"':
		return "a string"
	case text[0] == '-', text[0] >= '0' && text[0] <= '9':
		return "a number"
	}
	return "a value"
}
