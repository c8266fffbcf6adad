package history

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// Token returns what a completion must bring back to be believed by an
// execution that has a secret (Start.Secret): an HMAC under it of instance,
// execution and event, 32 characters of lower-case hex. All other executions
// have tokens under a key of the stack (package keyring).
func Token(secret, instance string, executionID, eventID int64) string {
	mac := hmac.New(sha256.New, []byte(secret))
	b := make([]byte, 0, len(instance)+44)
	b = strconv.AppendInt(b, executionID, 10)
	b = append(b, '/')
	b = strconv.AppendInt(b, eventID, 10)
	b = append(b, '/')
	b = append(b, instance...)
	mac.Write(b)
	var text [32]byte
	hex.Encode(text[:], mac.Sum(b[:0])[:16])
	return string(text[:])
}

// TokenMatches compares in constant time.
func TokenMatches(secret, instance string, executionID, eventID int64, token string) bool {
	return hmac.Equal([]byte(token), []byte(Token(secret, instance, executionID, eventID)))
}
