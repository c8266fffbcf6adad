package check

import (
	"bytes"
	"fmt"
	"log/slog"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// shows checks the invariant of codecs: a process that encodes sends no decoded payload.
// values are payloads with their marker; text is everything, including the payloads.
func (w *checker) shows(p *world.Process, what func() string, mark string, text []byte, values ...[]byte) {
	if !p.Encodes || p.Dead {
		return
	}
	for _, v := range values {
		if len(v) > 0 && mark == "" {
			w.Violate("codec", "%s: %s has a payload that is not encoded: %.80s", p.Name, what(), v)
		}
	}
	if bytes.Contains(text, []byte(`"`+world.Marker)) {
		w.Violate("codec", "%s: %s shows a payload: %.400s", p.Name, what(), text)
	}
}

func (w *checker) showsTurns(p *world.Process, turns []store.Turn) {
	if !p.Encodes {
		return
	}
	for i := range turns {
		stored := turns[i].Events
		for j := range stored {
			e := &stored[j]
			values := append(make([][]byte, 0, 3), e.Payload)
			if e.Failure != nil {
				values = append(values, e.Failure.Details)
			}
			if e.Start != nil {
				values = append(values, e.Start.States)
			}
			w.notesOf(p).shown = history.Encode([]history.Event{*e})
			w.shows(p, func() string { return fmt.Sprintf("event %d of %s", e.EventID, turns[i].Instance) }, e.Codec, w.notesOf(p).shown, values...)
		}
	}
}

// WritesPart implements world.Watcher.
func (w *checker) WritesPart(p *world.Process, part *store.Commit) {
	w.showsTurns(p, part.Turns)
	w.showsChange(p, part.Turns[0].Instance, part.Record)
}

func (w *checker) showsChange(p *world.Process, instance string, c *store.RecordChange) {
	if !p.Encodes || c == nil {
		return
	}
	where := func() string { return "the record of " + instance }
	r := c.Apply(store.Record{})
	w.shows(p, where, r.StatesCodec, r.States, r.States)
	end := [][]byte{r.Output}
	if r.Failure != nil {
		end = append(end, r.Failure.Details)
	}
	w.shows(p, where, r.Codec, bytes.Join(end, []byte(" ")), end...)
	if c.Problem != nil && *c.Problem != nil {
		problem := *c.Problem
		w.shows(p, func() string { return "why " + instance + " is stuck" }, "", []byte(problem.Message+problem.Stack))
	}
}

// showsLine checks a line of a process's log.
func (w *checker) showsLine(p *world.Process, r *slog.Record) {
	w.shows(p, func() string { return "the log" }, "", []byte(r.Message))
	r.Attrs(func(a slog.Attr) bool {
		w.shows(p, func() string { return "the log: " + r.Message }, "", []byte(a.Value.String()))
		return true
	})
}

// showsBody checks a message that a process sends. A message that cannot be parsed goes to
// a dead-letter queue unchanged.
func (w *checker) showsBody(p *world.Process, body string) {
	if !p.Encodes {
		w.IsOthers(body)
	}
	if !p.Encodes || w.Encoding.Plain[body] {
		return
	}
	m, err := w.Message(body)
	if err != nil {
		w.shows(p, func() string { return "a message" }, "", []byte(body))
		return
	}
	item := &m.Encoded
	values := [][]byte{item.Input, item.Data, item.Result}
	for _, e := range item.Events {
		values = append(values, e.Data)
	}
	if item.Details != nil {
		values = append(values, item.Details.Details)
	}
	w.shows(p, func() string { return string(item.Kind) + " of " + item.Target() }, item.Codec, []byte(body), values...)
}
