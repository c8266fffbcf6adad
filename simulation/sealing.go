package simulation

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"strings"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// In some runs payloads are sealed: the store, the queues and the schedules hold
// what a codec has made of them, and the world looks at them by its own keys.
// Whether they are hangs on a choice that every run makes, so that a run with a
// codec does what it would do without, unless somebody lacks a key.

// sealing is the payload codecs of a world; its zero value is none.
type sealing struct {
	// world opens everything, and seals what clients send.
	world *codec.Set
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
	plain map[string]bool
}

// marker stands in payloads of programs as the beginning of a text in JSON, and
// so nowhere else.
const marker = "hidden"

func newSealing(entropy int) *sealing {
	s := &sealing{plain: map[string]bool{}, sealers: 2}
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
	s.world = codecs(a, b)
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
	case s.world == nil:
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
	plain := sealed[12:] // Whoever calls has it from base64, for itself.
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
	if w.sealing.world == nil {
		return item.Encode()
	}
	if w.sealing.sent++; w.sealing.sent%2 == 0 {
		return w.sealing.world.EncodeItem(*item)
	}
	return item.Encode()
}

// describe is a record with plain payloads.
func (w *World) describe(instance string) (store.Record, error) {
	r, err := w.store.Describe(context.Background(), instance)
	if err == nil {
		if bad := w.sealing.world.OpenRecord(&r); bad != nil {
			w.violate("codec", "%v", bad)
		}
	}
	return r, err
}

// opened are turns with plain payloads.
func (w *World) opened(turns []store.Turn) []store.Turn {
	if w.sealing.world == nil {
		return turns
	}
	turns = append([]store.Turn(nil), turns...)
	if err := w.sealing.world.OpenTurns(turns); err != nil {
		w.violate("codec", "%v", err)
	}
	return turns
}

// shows is the invariant of codecs: no payload leaves a process that seals in
// the clear. values are payloads with their mark, text is all the rest too.
func (p *process) shows(what func() string, mark string, text []byte, values ...[]byte) {
	if !p.seals || p.dead {
		return
	}
	for _, v := range values {
		if len(v) > 0 && mark == "" {
			p.w.violate("codec", "%s: %s has a payload that is not sealed: %.80s", p.name, what(), v)
		}
	}
	if bytes.Contains(text, []byte(`"`+marker)) {
		p.w.violate("codec", "%s: %s shows a payload: %.400s", p.name, what(), text)
	}
}

func (p *process) showsTurns(turns []store.Turn) {
	if !p.seals {
		return
	}
	for i := range turns {
		for j := range turns[i].Events {
			e := &turns[i].Events[j]
			values := append(make([][]byte, 0, 3), e.Payload)
			if e.Failure != nil {
				values = append(values, e.Failure.Details)
			}
			if e.Start != nil {
				values = append(values, e.Start.CustomStatus)
			}
			p.shown = history.AppendEvent(p.shown[:0], e)
			p.shows(func() string { return fmt.Sprintf("event %d of %s", e.EventID, turns[i].Instance) }, e.Codec, p.shown, values...)
		}
	}
}

func (p *process) showsChange(instance string, c *store.RecordChange) {
	if !p.seals || c == nil {
		return
	}
	var mark string
	if c.Codec != nil {
		mark = *c.Codec
	}
	var values [][]byte
	add := func(failure *history.Failure, payloads ...[]byte) {
		if failure != nil {
			payloads = append(payloads, failure.Details)
		}
		values = append(values, payloads...)
	}
	if r := c.Create; r != nil {
		mark = r.Codec
		add(r.Failure, r.CustomStatus, r.Output)
	}
	for _, v := range []*[]byte{c.CustomStatus, c.Output} {
		if v != nil {
			add(nil, *v)
		}
	}
	if c.Failure != nil {
		add(*c.Failure)
	}
	if c.Problem != nil && *c.Problem != nil {
		problem := *c.Problem
		p.shows(func() string { return "why " + instance + " is stuck" }, "", []byte(problem.Message+problem.Stack))
	}
	p.shows(func() string { return "the record of " + instance }, mark, bytes.Join(values, []byte(" ")), values...)
}

// showsLine looks at a line of a process's log.
func (p *process) showsLine(r *slog.Record) {
	p.shows(func() string { return "the log" }, "", []byte(r.Message))
	r.Attrs(func(a slog.Attr) bool {
		p.shows(func() string { return "the log: " + r.Message }, "", []byte(a.Value.String()))
		return true
	})
}

// showsBody looks at a message that a process sends. What nobody could make
// anything of goes to a dead-letter queue as it came.
func (p *process) showsBody(body string) {
	if !p.seals {
		p.w.isOthers(body)
	}
	if !p.seals || p.w.sealing.plain[body] {
		return
	}
	m, err := p.w.message(body)
	if err != nil {
		p.shows(func() string { return "a message" }, "", []byte(body))
		return
	}
	item := &m.sealed
	values := [][]byte{item.Input, item.Data, item.Result}
	for _, e := range item.Events {
		values = append(values, e.Data)
	}
	if item.Details != nil {
		values = append(values, item.Details.Details)
	}
	p.shows(func() string { return string(item.Kind) + " of " + item.Target() }, item.Codec, []byte(body), values...)
}

// isOthers notes a body that did not come from a process that seals.
func (w *World) isOthers(body string) {
	if w.sealing.world != nil && !strings.Contains(body, `"codec"`) {
		w.sealing.plain[body] = true
	}
}

func (s *sealing) String() string {
	switch {
	case s.world == nil:
		return ""
	case len(s.processes) == 1:
		return "; payloads are sealed"
	case s.complete != nil:
		return "; payloads are sealed, and one build in two lacks a key"
	}
	return "; payloads are sealed, the keys change"
}
