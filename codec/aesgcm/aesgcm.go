// Package aesgcm is a payload codec that encrypts with AES-256 in Galois/Counter Mode, using the
// standard library.
//
//	key, err := aesgcm.New("2026-11", secret) // 32 bytes
//	set, err := codec.NewSet(key)
//
// Each key has an id, which is stored next to each payload that the key has encrypted. To change
// the key, deploy a new key with a new id; package codec describes the order.
//
// # Size
//
// An encrypted payload is 28 bytes longer than the original: a nonce of 12 bytes in front, and a
// tag of 16 bytes at the end. It is stored in base64, which adds a third.
//
// # Limits
//
// The nonce is random for each payload. Therefore NIST SP 800-38D allows 2^32 payloads per key. An
// event has one to four payloads (in the history, in one or two messages, in the record), so change
// the key well before a billion events.
//
// The tag covers the payload and the id of the key, but not the place of the payload. So an
// attacker who can write to the tables can replace one encrypted payload by another.
package aesgcm

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/codec"
)

// KeySize is the length of a key, in bytes.
const KeySize = 32

// sealed implements codec.Codec with one key.
type sealed struct {
	name string
	aead cipher.AEAD
}

// New returns the codec of a key of 32 bytes. Use the key only for this codec. The codec's name is
// "aesgcm:" and the id; an id has 1 to 64 letters, digits, dots, underscores and hyphens. Never
// reuse the id for another key: payloads of the first key would count as damaged. The codec is safe
// for concurrent use. Printing it prints its name, not the key.
func New(id string, key []byte) (codec.Codec, error) {
	if !validID(id) {
		return nil, fmt.Errorf("aesgcm: key id %.80q is invalid: it must have 1 to 64 letters, digits, dots, underscores and hyphens", id)
	}
	if len(key) != KeySize {
		return nil, fmt.Errorf("aesgcm: key %q has %d bytes, but AES-256 needs %d random bytes: decode the key first if it is in hex or base64", id, len(key), KeySize)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("aesgcm: key %q: %w", id, err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("aesgcm: key %q: %w", id, err)
	}
	return &sealed{name: "aesgcm:" + id, aead: aead}, nil
}

func validID(id string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	return id != "" && len(id) <= 64 && strings.Trim(id, allowed) == ""
}

// Name implements codec.Codec.
func (k *sealed) Name() string { return k.name }

// Encode implements codec.Codec.
func (k *sealed) Encode(plain []byte) ([]byte, error) {
	return k.aead.Seal(nil, nil, plain, []byte(k.name)), nil
}

// Decode implements codec.Codec.
func (k *sealed) Decode(encoded []byte) ([]byte, error) {
	plain, err := k.aead.Open(nil, nil, encoded, []byte(k.name))
	if err != nil {
		return nil, errors.New("aesgcm: decryption failed: wrong key or corrupt data")
	}
	return plain, nil
}

// String returns the name of the codec, never the key.
func (k *sealed) String() string { return k.name }

// GoString returns the name of the codec, never the key.
func (k *sealed) GoString() string { return k.name }
