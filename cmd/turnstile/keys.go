package main

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/codec/aesgcm"
	"github.com/turnstile-go/turnstile/codec/gzip"
)

// Keys come from a file or the environment, never from the command line: the
// arguments of a process are seen by everybody on the machine, and stay in the
// shell's history.
const (
	keysVariable    = "TURNSTILE_KEYS"
	keyFileVariable = "TURNSTILE_KEY_FILE"
)

const (
	markGzip   = "gzip"
	markAESGCM = "aesgcm:"
	markBoth   = markGzip + "+" + markAESGCM
)

// codecs are those of the key file, else of the environment, else those that
// need no key.
func (s *settings) codecs() (*codec.Set, error) {
	file, where := s.keyFile, "--key-file"
	if file == "" {
		file, where = s.getenv(keyFileVariable), keyFileVariable
	}
	if file == "" {
		return parseKeys(keysVariable, s.getenv(keysVariable))
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the keys of %s: %w", where, err)
	}
	return parseKeys(file, string(data))
}

// parseKeys reads the codecs of a key file: a line each, first the mark, as it
// stands beside what is sealed, then the key, 32 bytes in base64 or hex. The
// first one seals what is sent, all of them open; a key opens with and without
// compression in front of it. Empty lines and lines that begin with # are
// nothing. Errors do not show what stands in a key's place.
func parseKeys(where, text string) (*codec.Set, error) {
	var current codec.Codec
	opens := map[string]codec.Codec{markGzip: gzip.New()}
	var errs []error
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c, key, err := parseKey(strings.Fields(line))
		if err != nil {
			errs = append(errs, fmt.Errorf("%s, line %d: %w", where, n, err))
			continue
		}
		if current == nil {
			current = c
		}
		if opens[c.Name()] = c; key != nil {
			both := codec.Chain(gzip.New(), key)
			opens[key.Name()], opens[both.Name()] = key, both
		}
	}
	if err := errors.Join(append(errs, lines.Err())...); err != nil {
		return nil, err
	}
	if current != nil {
		delete(opens, current.Name())
	}
	others := make([]codec.Codec, 0, len(opens))
	for _, name := range sortedKeys(opens) {
		others = append(others, opens[name])
	}
	return codec.NewSet(current, others...)
}

// parseKey reads the words of a line; key is what is in it besides compression.
func parseKey(words []string) (c, key codec.Codec, err error) {
	mark := words[0]
	id, encrypts := strings.CutPrefix(strings.TrimPrefix(mark, markGzip+"+"), markAESGCM)
	switch {
	case mark == markGzip && len(words) == 1:
		return gzip.New(), nil, nil
	case mark == markGzip:
		return nil, nil, errors.New("gzip has no key")
	case !encrypts || mark != markAESGCM+id && mark != markBoth+id:
		return nil, nil, errors.New("it must begin with a codec: gzip, aesgcm:ID or gzip+aesgcm:ID, as the text about a sealed payload names it")
	case len(words) != 2:
		return nil, nil, fmt.Errorf("%s needs its key after it, and nothing more: 32 bytes in base64 or hex", mark)
	}
	bytes, err := decodeKey(words[1])
	if err != nil {
		return nil, nil, fmt.Errorf("the key of %s: %w", mark, err)
	}
	k, err := aesgcm.New(id, bytes)
	if err != nil {
		return nil, nil, err
	}
	if mark == markAESGCM+id {
		return k, k, nil
	}
	return codec.Chain(gzip.New(), k), k, nil
}

func decodeKey(text string) ([]byte, error) {
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.RawStdEncoding.DecodeString, base64.RawURLEncoding.DecodeString, base64.URLEncoding.DecodeString,
	} {
		if key, err := decode(text); err == nil && len(key) == aesgcm.KeySize {
			return key, nil
		}
	}
	return nil, fmt.Errorf("it is not %d bytes in base64 or hex", aesgcm.KeySize)
}

// keyAdvice says what to do about what is sealed.
const keyAdvice = "give the command the keys: --key-file FILE, " + keyFileVariable + " or " + keysVariable + " (`turnstile help flags` says how they are written)"
