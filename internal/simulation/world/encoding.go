package world

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// In some runs payloads are encoded: the store, the queues and the schedules hold the
// output of a codec, and the world decodes it with its own keys. Whether they are encoded
// depends on a choice that every run makes, so that a run with a codec does the same as
// without one, unless a process lacks a key.

// encoding holds the payload codecs of a world; its zero value has none.
type encoding struct {
	// World decodes everything, and encodes what clients send.
	World *codec.Set
	// processes are the codecs of the processes, in turn; the first of them encode.
	processes []*codec.Set
	encoders  int
	// complete is the set that all processes have after the faults have stopped, if one of
	// the others lacks a key.
	complete *codec.Set
	// keys that have encoded something; sent counts clients' messages so far, and plain
	// holds the bodies among them that are not encoded and may reach a dead-letter queue.
	keys  [2]key
	sent  int
	Plain map[string]bool
}

// Marker is in payloads of programs, as the start of a JSON text, and therefore nowhere
// else.
const Marker = "hidden"

func newEncoding(entropy int) *encoding {
	s := &encoding{Plain: map[string]bool{}, encoders: 2}
	s.keys = [2]key{{name: "a"}, {name: "b"}}
	a, b := &s.keys[0], &s.keys[1]
	switch entropy % 8 {
	case 1, 2:
		s.processes = []*codec.Set{codecs(a, b)}
	case 3:
		// A key is rotated, and a build from before the first codec exists.
		s.processes = []*codec.Set{codecs(a, b), codecs(b, a), codecs(nil, a, b)}
	case 4:
		// A build lacks the key with which another encodes.
		s.processes, s.complete = []*codec.Set{codecs(a, b), codecs(b)}, codecs(b, a)
	default:
		return s
	}
	s.World = codecs(a, b)
	return s
}

func codecs(current codec.Codec, others ...codec.Codec) *codec.Set {
	s, err := codec.NewSet(current, others...)
	if err != nil {
		panic(err)
	}
	return s
}

// of returns the codecs of the n-th process, and whether they encode. After the faults have
// stopped, no key is missing.
func (s *encoding) of(n int, calm bool) (set *codec.Set, encodes bool) {
	switch {
	case s.World == nil:
		return nil, false
	case calm && s.complete != nil:
		return s.complete, true
	}
	i := n % len(s.processes)
	return s.processes[i], i < s.encoders
}

// encoded returns the number of encoded payloads.
func (s *encoding) encoded() int { return s.keys[0].encoded + s.keys[1].encoded }

// key is a codec that behaves the same in every repetition of a run. Like encryption it
// never produces the same bytes twice, and it detects input that it did not produce.
type key struct {
	name    string
	encoded int
}

func (k *key) Name() string { return "key-" + k.name }

func (k *key) Encode(plain []byte) ([]byte, error) {
	k.encoded++
	out := binary.BigEndian.AppendUint32(make([]byte, 0, len(plain)+12), uint32(k.encoded))
	out = binary.BigEndian.AppendUint64(out, k.sum(k.encoded, plain))
	for i, c := range plain {
		out = append(out, c^k.stream(k.encoded, i))
	}
	return out, nil
}

func (k *key) Decode(encoded []byte) ([]byte, error) {
	if len(encoded) < 12 {
		return nil, errors.New("it is too short")
	}
	n, sum := int(binary.BigEndian.Uint32(encoded)), binary.BigEndian.Uint64(encoded[4:])
	plain := encoded[12:] // The caller has decoded the bytes from base64 into new memory.
	for i := range plain {
		plain[i] ^= k.stream(n, i)
	}
	if k.sum(n, plain) != sum {
		return nil, fmt.Errorf("it was not encrypted with key %s", k.name)
	}
	return plain, nil
}

func (k *key) stream(n, i int) byte { return byte(n*31+i*7) ^ k.name[0] }

func (k *key) sum(n int, plain []byte) uint64 {
	h := fnv.New64a()
	h.Write(binary.BigEndian.AppendUint32([]byte(k.name), uint32(n)))
	h.Write(plain)
	return h.Sum64()
}

// body returns the body of an item from a client, perhaps encoded. One client in two encodes,
// because not all clients have to encode.
func (w *World) body(item *wire.Item) ([]byte, error) {
	if w.Encoding.World == nil {
		return item.Encode()
	}
	if w.Encoding.sent++; w.Encoding.sent%2 == 0 {
		return w.Encoding.World.MarshalItem(*item)
	}
	return item.Encode()
}

// Describe returns a record with decoded payloads.
func (w *World) Describe(instance string) (store.Record, error) {
	r, err := w.Store.Describe(context.Background(), instance)
	if err == nil {
		if bad := w.Encoding.World.DecodeRecord(&r); bad != nil {
			w.Violate("codec", "%v", bad)
		}
	}
	return r, err
}

// Opened returns turns with decoded payloads.
func (w *World) Opened(turns []store.Turn) []store.Turn {
	if w.Encoding.World == nil {
		return turns
	}
	turns = append([]store.Turn(nil), turns...)
	if err := w.Encoding.World.DecodeTurns(turns); err != nil {
		w.Violate("codec", "%v", err)
	}
	return turns
}

// IsOthers records a body that did not come from a process that encodes.
func (w *World) IsOthers(body string) {
	if w.Encoding.World != nil && !strings.Contains(body, `"codec"`) {
		w.Encoding.Plain[body] = true
	}
}

func (s *encoding) String() string {
	switch {
	case s.World == nil:
		return ""
	case len(s.processes) == 1:
		return "; payloads are encrypted"
	case s.complete != nil:
		return "; payloads are encrypted, and one build in two lacks a key"
	}
	return "; payloads are encrypted, the keys change"
}
