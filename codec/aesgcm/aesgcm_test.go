package aesgcm_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/codec/aesgcm"
)

func key(t interface{ Fatal(...any) }, id string, fill byte) codec.Codec {
	k, err := aesgcm.New(id, bytes.Repeat([]byte{fill}, aesgcm.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestWhatAKeyEncryptedItDecryptsAgainAndNothingElseDoes(t *testing.T) {
	t.Parallel()
	k := key(t, "a", 1)
	otherKey, otherID := key(t, "a", 2), key(t, "b", 1)
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.SliceOf(rapid.Byte()).Draw(t, "plain")
		sealed, err := k.Encode(plain)
		if err != nil {
			t.Fatal(err)
		}
		if len(sealed) != len(plain)+28 {
			t.Errorf("%d bytes are sealed in %d, the documentation says 28 more", len(plain), len(sealed))
		}
		if got, err := k.Decode(sealed); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("opened %q, %v; want %q", got, err, plain)
		}
		for what, other := range map[string]codec.Codec{"another key of the same id": otherKey, "the same key under another id": otherID} {
			if got, err := other.Decode(sealed); err == nil {
				t.Errorf("%s opened it: %q", what, got)
			}
		}
		damaged := bytes.Clone(sealed)
		damaged[rapid.IntRange(0, len(damaged)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "by"))
		if got, err := k.Decode(damaged); err == nil {
			t.Errorf("damaged, it was opened: %q", got)
		}
		if got, err := k.Decode(sealed[:rapid.IntRange(0, len(sealed)-1).Draw(t, "cut")]); err == nil {
			t.Errorf("cut, it was opened: %q", got)
		}
	})
}

func TestEqualPayloadsAreEncryptedDifferently(t *testing.T) {
	t.Parallel()
	k := key(t, "a", 1)
	seen := map[string]bool{}
	for range 1000 {
		sealed, _ := k.Encode([]byte(`"same"`))
		seen[string(sealed)] = true
	}
	if len(seen) != 1000 {
		t.Errorf("a thousand seals of one payload gave %d forms", len(seen))
	}
}

func TestInvalidKeysAreRejected(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, id string
		size     int
		says     string
	}{
		{"an empty id", "", 32, "key id"},
		{"an id with a space", "my key", 32, "key id"},
		{"an id of 65 bytes", strings.Repeat("k", 65), 32, "key id"},
		{"a key in hex", "a", 64, "hex or base64"},
		{"a key of AES-128", "a", 16, "16 bytes"},
		{"no key", "a", 0, "0 bytes"},
	} {
		if _, err := aesgcm.New(c.id, make([]byte, c.size)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.says)
		}
	}
}

func TestAKeyIsNotShownWhenItIsPrinted(t *testing.T) {
	t.Parallel()
	k := key(t, "2026-11", 'K')
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(format, k); got != "aesgcm:2026-11" {
			t.Errorf("%s prints %q", format, got)
		}
	}
}
