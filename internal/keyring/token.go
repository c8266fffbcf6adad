package keyring

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash"
	"strconv"
	"strings"
	"sync"
)

const (
	// MaxID is the maximum length of a key's id, in bytes.
	MaxID = 16
	// purpose distinguishes these HMACs from others that a key may be used for.
	purpose = "turnstile completion token 2"
	// macSize is how many bytes of the HMAC a token has: 128 bits.
	macSize = 16
	// timeBase is the number base of the event's time in a token; maxTime is the maximum number of
	// its digits.
	timeBase = 36
	maxTime  = 13
)

// tokenMAC is the encoding of the HMAC in a token: 22 letters, digits, '-' and '_'.
var tokenMAC = base64.RawURLEncoding.Strict()

// CheckID returns an error for an invalid key id. A key id has 1 to 16 ASCII letters, digits, '-'
// and '_'.
func CheckID(id string) error {
	if !isID(id) {
		return fmt.Errorf("keyring: key id %q: expected 1 to %d letters, digits, '-' and '_'", id, MaxID)
	}
	return nil
}

func isID(id string) bool {
	if id == "" || len(id) > MaxID {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// Keyed reports whether a token has the form that a ring makes, and returns the id of its key. The
// form is the id of the key, the time of the event, and 22 characters, separated by dots.
func Keyed(token string) (id string, ok bool) {
	id, _, ok = parts(token)
	return id, ok
}

// EventTime returns the time of the event that a token names, in Unix milliseconds, according to
// the token; it proves nothing. It returns false for a text that does not have the form of a token.
func EventTime(token string) (atMS int64, ok bool) {
	_, atMS, ok = parts(token)
	return atMS, ok
}

func parts(token string) (id string, atMS int64, ok bool) {
	id, rest, _ := strings.Cut(token, ".")
	at, mac, found := strings.Cut(rest, ".")
	atMS, err := strconv.ParseInt(at, timeBase, 64)
	return id, atMS, found && err == nil && isTime(at) && isID(id) && len(mac) == tokenMAC.EncodedLen(macSize)
}

// isTime reports whether a number in timeBase has the form that a token uses: lower case, without a
// sign and without leading zeros. It allocates nothing.
func isTime(at string) bool {
	for i := range len(at) {
		if c := at[i]; (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return at == "0" || !strings.HasPrefix(at, "0")
}

// secret is a key, with the common part of its HMACs computed in advance.
type secret struct{ macs sync.Pool }

func newSecret(key []byte) *secret {
	s := &secret{}
	s.macs.New = func() any { return &mac{hash: hmac.New(sha256.New, key)} }
	return s
}

// mac has the memory for one HMAC.
type mac struct {
	hash hash.Hash
	room []byte
}

// token returns the token of a scheduling event. Each input of the HMAC has its length in front or
// a fixed length, so that no two events have the same bytes.
func (s *secret) token(id, instance string, executionID, eventID, atMS int64) string {
	m := s.macs.Get().(*mac)
	defer s.macs.Put(m)
	m.hash.Reset()
	b := m.room[:0]
	b = append(b, purpose...)
	b = binary.BigEndian.AppendUint64(b, uint64(len(instance)))
	b = append(b, instance...)
	b = binary.BigEndian.AppendUint64(b, uint64(executionID))
	b = binary.BigEndian.AppendUint64(b, uint64(eventID))
	b = binary.BigEndian.AppendUint64(b, uint64(atMS))
	m.hash.Write(b)
	m.room = m.hash.Sum(b[:0])
	var room [MaxID + 1 + maxTime + 1 + 22]byte
	token := append(append(room[:0], id...), '.')
	token = append(strconv.AppendInt(token, atMS, timeBase), '.')
	return string(tokenMAC.AppendEncode(token, m.room[:macSize]))
}
