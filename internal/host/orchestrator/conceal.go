package orchestrator

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"

	"github.com/turnstile-go/turnstile/internal/jsonscan"
	"github.com/turnstile-go/turnstile/internal/keyring"
)

// Records, logs and reasons are not encoded. If a codec is configured, they contain the type, the
// length and a keyed hash of a payload instead of its text.

// concealing returns a function that returns the text which replaces a payload in an execution's
// reasons. Equal payloads of an execution have equal hashes in every process, so a reader sees
// whether the recorded and the attempted input are the same, and an unchanged reason is not written
// again. The key is the token of event 0, which no message ever carries, under the stack's current
// key.
func concealing(instance string, execution int64, keys *keyring.Ring) func(payload []byte) string {
	return func(payload []byte) string {
		mac := hmac.New(sha256.New, []byte(keys.Token(instance, execution, 0, 0)))
		mac.Write(payload)
		return fmt.Sprintf("%s of %d bytes with hash %x", jsonscan.Kind(payload), len(payload), mac.Sum(nil)[:8])
	}
}
