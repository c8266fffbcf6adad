package keyring

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash"
	"strings"
	"sync"
)

const (
	// MaxID is the length of a key's id at most, in bytes.
	MaxID = 16
	// purpose tells these HMACs from any others that a key may be used for.
	purpose = "turnstile completion token 1"
	// macSize is how much of the HMAC a token has: 128 bits.
	macSize = 16
)

// tokenMAC is how the HMAC stands in a token: 22 letters, digits, '-' and '_'.
var tokenMAC = base64.RawURLEncoding.Strict()

// CheckID returns an error if a text can't be a key's id: 1 to 16 ASCII
// letters, digits, '-' and '_'.
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

// Keyed reports whether a token is one of a keyring by its form, and under
// which key: its id, '.', and 22 characters.
func Keyed(token string) (id string, ok bool) {
	id, mac, found := strings.Cut(token, ".")
	return id, found && isID(id) && len(mac) == tokenMAC.EncodedLen(macSize)
}

// secret is a key, with what its HMACs have in common made ahead of them.
type secret struct{ macs sync.Pool }

func newSecret(key []byte) *secret {
	s := &secret{}
	s.macs.New = func() any { return &mac{hash: hmac.New(sha256.New, key)} }
	return s
}

// mac is room for one HMAC.
type mac struct {
	hash hash.Hash
	room []byte
}

// token returns the token of a scheduling event. What it stands for goes
// into the HMAC with its length or in a fixed one, so that no two events have
// the same bytes.
func (s *secret) token(id, instance string, executionID, eventID int64) string {
	m := s.macs.Get().(*mac)
	defer s.macs.Put(m)
	m.hash.Reset()
	b := m.room[:0]
	b = append(b, purpose...)
	b = binary.BigEndian.AppendUint64(b, uint64(len(instance)))
	b = append(b, instance...)
	b = binary.BigEndian.AppendUint64(b, uint64(executionID))
	b = binary.BigEndian.AppendUint64(b, uint64(eventID))
	m.hash.Write(b)
	m.room = m.hash.Sum(b[:0])
	var room [MaxID + 1 + 22]byte
	token := append(append(room[:0], id...), '.')
	return string(tokenMAC.AppendEncode(token, m.room[:macSize]))
}
