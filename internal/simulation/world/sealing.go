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

// In some runs payloads are sealed: the store, the queues and the schedules hold
// what a codec has made of them, and the world looks at them by its own keys.
// Whether they are hangs on a choice that every run makes, so that a run with a
// codec does what it would do without, unless somebody lacks a key.

// sealing is the payload codecs of a world; its zero value is none.
type sealing struct {
	// World opens everything, and seals what clients send.
	World *codec.Set
	// processes have one of these each, in turn; so many of the first seal.
	processes []*codec.Set
	sealers   int
	// complete is what processes have from when faults stop on, if one of the
	// others lacks a key.
	complete *codec.Set
	// keys that have sealed something; sent are clients' messages so far, of
	// which those in plain are bodies that may come to a dead-letter queue.
	keys  [2]key
	sent  int
	Plain map[string]bool
}

// Marker stands in payloads of programs as the beginning of a text in JSON, and
// so nowhere else.
const Marker = "hidden"

func newSealing(entropy int) *sealing {
	s := &sealing{Plain: map[string]bool{}, sealers: 2}
	s.keys = [2]key{{name: "a"}, {name: "b"}}
	a, b := &s.keys[0], &s.keys[1]
	switch entropy % 8 {
	case 1, 2:
		s.processes = []*codec.Set{codecs(a, b)}
	case 3:
		// A key is changed, and a build from before the first codec is there.
		s.processes = []*codec.Set{codecs(a, b), codecs(b, a), codecs(nil, a, b)}
	case 4:
		// A build has not been given the key that another seals with.
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

// of returns the codecs of the n-th process, and whether they seal. When faults
// have stopped no key is missing.
func (s *sealing) of(n int, calm bool) (set *codec.Set, seals bool) {
	switch {
	case s.World == nil:
		return nil, false
	case calm && s.complete != nil:
		return s.complete, true
	}
	i := n % len(s.processes)
	return s.processes[i], i < s.sealers
}

// sealed is how many payloads were.
func (s *sealing) sealed() int { return s.keys[0].sealed + s.keys[1].sealed }

// key is a codec that the same run always uses in the same way. Like encryption
// it never gives the same bytes twice, and finds out what it did not make.
type key struct {
	name   string
	sealed int
}

func (k *key) Name() string { return "key-" + k.name }

func (k *key) Encode(plain []byte) ([]byte, error) {
	k.sealed++
	out := binary.BigEndian.AppendUint32(make([]byte, 0, len(plain)+12), uint32(k.sealed))
	out = binary.BigEndian.AppendUint64(out, k.sum(k.sealed, plain))
	for i, c := range plain {
		out = append(out, c^k.stream(k.sealed, i))
	}
	return out, nil
}

func (k *key) Decode(sealed []byte) ([]byte, error) {
	if len(sealed) < 12 {
		return nil, errors.New("it is too short")
	}
	n, sum := int(binary.BigEndian.Uint32(sealed)), binary.BigEndian.Uint64(sealed[4:])
	plain := sealed[12:] // The caller has decoded it from base64, into memory of its own.
	for i := range plain {
		plain[i] ^= k.stream(n, i)
	}
	if k.sum(n, plain) != sum {
		return nil, fmt.Errorf("it is not what key %s has sealed", k.name)
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

// body encodes what a client sends: one in two seals, as not all of them need.
func (w *World) body(item *wire.Item) ([]byte, error) {
	if w.Sealing.World == nil {
		return item.Encode()
	}
	if w.Sealing.sent++; w.Sealing.sent%2 == 0 {
		return w.Sealing.World.EncodeItem(*item)
	}
	return item.Encode()
}

// Describe is a record with plain payloads.
func (w *World) Describe(instance string) (store.Record, error) {
	r, err := w.Store.Describe(context.Background(), instance)
	if err == nil {
		if bad := w.Sealing.World.OpenRecord(&r); bad != nil {
			w.Violate("codec", "%v", bad)
		}
	}
	return r, err
}

// Opened are turns with plain payloads.
func (w *World) Opened(turns []store.Turn) []store.Turn {
	if w.Sealing.World == nil {
		return turns
	}
	turns = append([]store.Turn(nil), turns...)
	if err := w.Sealing.World.OpenTurns(turns); err != nil {
		w.Violate("codec", "%v", err)
	}
	return turns
}

// IsOthers notes a body that did not come from a process that seals.
func (w *World) IsOthers(body string) {
	if w.Sealing.World != nil && !strings.Contains(body, `"codec"`) {
		w.Sealing.Plain[body] = true
	}
}

func (s *sealing) String() string {
	switch {
	case s.World == nil:
		return ""
	case len(s.processes) == 1:
		return "; payloads are sealed"
	case s.complete != nil:
		return "; payloads are sealed, and one build in two lacks a key"
	}
	return "; payloads are sealed, the keys change"
}
