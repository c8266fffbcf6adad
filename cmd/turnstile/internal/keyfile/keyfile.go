// Package keyfile reads the keys of encrypted payloads.
package keyfile

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/codec/aesgcm"
	"github.com/turnstile-go/turnstile/codec/gzip"
)

// Environment variables with the keys, and with the name of a file that has them. No flag takes a key,
// because other users of the machine can see a process's arguments, and the shell keeps them in its
// history.
const (
	Variable     = "TURNSTILE_KEYS"
	FileVariable = "TURNSTILE_KEY_FILE"
)

// Advice explains how to pass keys to a command.
const Advice = "pass the keys with --key-file FILE, " + FileVariable + " or " + Variable + " (`turnstile help flags` explains the format)"

const (
	markGzip   = "gzip"
	markAESGCM = "aesgcm:"
	markBoth   = markGzip + "+" + markAESGCM
)

// Codecs returns the codecs of the file that --key-file names, otherwise of the file in [FileVariable],
// otherwise of [Variable]. Without keys, the set has only the codecs that need none.
func Codecs(file string, getenv func(string) string) (*codec.Set, error) {
	where := "--key-file"
	if file == "" {
		file, where = getenv(FileVariable), FileVariable
	}
	if file == "" {
		return parse(Variable, getenv(Variable))
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the keys from %s: %w", where, err)
	}
	return parse(file, string(data))
}

// parse parses a key file. Each line has a codec's name and its key: 32 bytes in base64 or hex. The
// first codec encodes sent payloads, and all of them decode; a key decodes both with and without
// compression. Empty lines and lines that start with # are skipped. Errors do not contain keys.
func parse(where, text string) (*codec.Set, error) {
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
	for _, name := range slices.Sorted(maps.Keys(opens)) {
		others = append(others, opens[name])
	}
	return codec.NewSet(current, others...)
}

// parseKey parses the words of a line. key is the codec without compression.
func parseKey(words []string) (c, key codec.Codec, err error) {
	mark := words[0]
	id, encrypts := strings.CutPrefix(strings.TrimPrefix(mark, markGzip+"+"), markAESGCM)
	switch {
	case mark == markGzip && len(words) == 1:
		return gzip.New(), nil, nil
	case mark == markGzip:
		return nil, nil, errors.New("gzip has no key")
	case !encrypts || mark != markAESGCM+id && mark != markBoth+id:
		return nil, nil, errors.New("it must start with a codec: gzip, aesgcm:ID or gzip+aesgcm:ID, as named by the message about an encoded payload")
	case len(words) != 2:
		return nil, nil, fmt.Errorf("%s must be followed by its key and nothing else: 32 bytes in base64 or hex", mark)
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
	return nil, fmt.Errorf("it must be %d bytes in base64 or hex", aesgcm.KeySize)
}
