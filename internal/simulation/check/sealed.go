package check

import (
	"bytes"
	"fmt"
	"log/slog"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// shows is the invariant of codecs: no payload leaves a process that seals in
// the clear. values are payloads with their mark, text is all the rest too.
func (w *checker) shows(p *world.Process, what func() string, mark string, text []byte, values ...[]byte) {
	if !p.Seals || p.Dead {
		return
	}
	for _, v := range values {
		if len(v) > 0 && mark == "" {
			w.Violate("codec", "%s: %s has a payload that is not sealed: %.80s", p.Name, what(), v)
		}
	}
	if bytes.Contains(text, []byte(`"`+world.Marker)) {
		w.Violate("codec", "%s: %s shows a payload: %.400s", p.Name, what(), text)
	}
}

func (w *checker) showsTurns(p *world.Process, turns []store.Turn) {
	if !p.Seals {
		return
	}
	for i := range turns {
		stored := turns[i].Stored()
		for j := range stored {
			e := &stored[j]
			values := append(make([][]byte, 0, 3), e.Payload)
			if e.Failure != nil {
				values = append(values, e.Failure.Details)
			}
			if e.Start != nil {
				values = append(values, e.Start.CustomStatus)
			}
			w.notesOf(p).shown = history.Encode([]history.Event{*e})
			w.shows(p, func() string { return fmt.Sprintf("event %d of %s", e.EventID, turns[i].Instance) }, e.Codec, w.notesOf(p).shown, values...)
		}
	}
}

// WritesAhead implements world.Watcher.
func (w *checker) WritesAhead(p *world.Process, part *store.Turn) {
	w.showsTurns(p, []store.Turn{*part})
}

func (w *checker) showsChange(p *world.Process, instance string, c *store.RecordChange) {
	if !p.Seals || c == nil {
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
		w.shows(p, func() string { return "why " + instance + " is stuck" }, "", []byte(problem.Message+problem.Stack))
	}
	w.shows(p, func() string { return "the record of " + instance }, mark, bytes.Join(values, []byte(" ")), values...)
}

// showsLine looks at a line of a process's log.
func (w *checker) showsLine(p *world.Process, r *slog.Record) {
	w.shows(p, func() string { return "the log" }, "", []byte(r.Message))
	r.Attrs(func(a slog.Attr) bool {
		w.shows(p, func() string { return "the log: " + r.Message }, "", []byte(a.Value.String()))
		return true
	})
}

// showsBody looks at a message that a process sends. A message that cannot be
// parsed goes to a dead-letter queue as it came.
func (w *checker) showsBody(p *world.Process, body string) {
	if !p.Seals {
		w.IsOthers(body)
	}
	if !p.Seals || w.Sealing.Plain[body] {
		return
	}
	m, err := w.Message(body)
	if err != nil {
		w.shows(p, func() string { return "a message" }, "", []byte(body))
		return
	}
	item := &m.Sealed
	values := [][]byte{item.Input, item.Data, item.Result}
	for _, e := range item.Events {
		values = append(values, e.Data)
	}
	if item.Details != nil {
		values = append(values, item.Details.Details)
	}
	w.shows(p, func() string { return string(item.Kind) + " of " + item.Target() }, item.Codec, []byte(body), values...)
}
