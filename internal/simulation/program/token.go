package program

import (
	"encoding/json"
	"strconv"
)

// Token is the result of one statement.
type Token struct {
	K   string    `json:"hidden"`
	ID  int       `json:"id,omitempty"`
	V   string    `json:"v,omitempty"`
	Sub [][]Token `json:"sub,omitempty"`
}

// EncodeTokens does the same as json.Marshal of tokens, faster: every replay encodes some,
// and nearly all their texts need no escapes.
func EncodeTokens(list []Token) ([]byte, error) {
	if data, ok := appendTokens(make([]byte, 0, 128), list); ok {
		return data, nil
	}
	return json.Marshal(list)
}

func appendTokens(dst []byte, list []Token) (_ []byte, ok bool) {
	if list == nil {
		return append(dst, "null"...), true
	}
	dst = append(dst, '[')
	for i := range list {
		t := &list[i]
		if !isPlain(t.K) || !isPlain(t.V) {
			return nil, false
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, `{"hidden":"`...), t.K...), '"')
		if t.ID != 0 {
			dst = strconv.AppendInt(append(dst, `,"id":`...), int64(t.ID), 10)
		}
		if t.V != "" {
			dst = append(append(append(dst, `,"v":"`...), t.V...), '"')
		}
		for n, sub := range t.Sub {
			if n == 0 {
				dst = append(dst, `,"sub":[`...)
			} else {
				dst = append(dst, ',')
			}
			if dst, ok = appendTokens(dst, sub); !ok {
				return nil, false
			}
			if n == len(t.Sub)-1 {
				dst = append(dst, ']')
			}
		}
		dst = append(dst, '}')
	}
	return append(dst, ']'), true
}

// isPlain reports whether a text needs no escapes in JSON.
func isPlain(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}
