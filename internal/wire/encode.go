package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/jsonscan"
)

// Encode returns the JSON body of an item. What Encode writes, Parse reads, as
// long as it is within the limits, which Encode does not check.
//
// Payloads stand in the body with exactly their bytes, but for the two
// characters U+FFFE and U+FFFF, which SQS does not take and which are escaped.
// In texts for people (reasons, failures) bytes that are not UTF-8 become
// U+FFFD.
//
// A *ParseError for an item that Parse would refuse: a missing field, an
// unknown kind, a payload that is not JSON, an id that is not UTF-8.
func (i *Item) Encode() ([]byte, error) { return noLimits().Encode(i) }

// Encode is Item.Encode within limits: what it writes, Parse reads with the same
// ones. Limits that are 0 mean their defaults.
func (l Limits) Encode(i *Item) ([]byte, error) {
	if err := l.check(i); err != nil {
		return nil, err
	}
	e := encoder{kind: i.Kind, out: append(make([]byte, 0, 320+len(i.Input)+len(i.Data)+len(i.Result)), '{')}
	e.whole("v", Version)
	e.item(i)
	if e.err != nil {
		return nil, e.err
	}
	return append(e.out, '}'), nil
}

// encoder writes the fields of one object behind its bracket. encoding/json would
// rewrite the payloads: it compacts a json.RawMessage and escapes <, > and & in it.
type encoder struct {
	out  []byte
	kind Kind
	err  *ParseError
}

func (e *encoder) item(i *Item) {
	e.ident("kind", string(i.Kind))
	e.ident("instance", i.Instance)
	e.whole("execution_id", i.ExecutionID)
	e.ident("id", i.ID)
	e.ident("name", i.Name)
	e.ident("version", i.OrchVersion)
	e.ident("parent_instance", i.ParentInstance)
	e.whole("parent_execution_id", i.ParentExecutionID)
	e.whole("scheduling_event_id", i.SchedulingEventID)
	e.whole("source_event_id", i.SourceEventID)
	e.ident("token", i.Token)
	e.whole("attempt", int64(i.Attempt))
	e.whole("scheduled_at_ms", i.ScheduledAtMS)
	e.whole("not_before_ms", i.NotBeforeMS)
	e.whole("fire_at_ms", i.FireAtMS)
	e.whole("number", i.Number)
	e.whole("before_ms", i.BeforeMS)
	e.ident("ended", i.Ended)
	e.ident("page_token", i.PageToken)
	e.whole("up_to_execution", i.UpToExecution)
	e.flag("force", i.Force)
	e.ident("on_conflict", string(i.OnConflict))
	e.whole("started_at_ms", i.StartedAtMS)
	e.ident("request_id", i.RequestID)
	e.whole("sent_ms", i.SentMS)
	e.ident("actor", i.Actor)
	e.headers(i.Headers)
	if o := i.Origin; o != nil {
		e.object("origin", func(e *encoder) {
			e.ident("instance", o.Instance)
			e.whole("execution_id", o.ExecutionID)
			e.whole("event_id", o.EventID)
		})
	}
	e.ident("fairness_group", i.FairnessGroup)
	e.whole("depth", int64(i.Depth))
	e.whole("first_seen_ms", i.FirstSeenMS)
	e.whole("hops", int64(i.Hops))
	if p := i.Parent; p != nil {
		e.object("parent", func(o *encoder) {
			o.ident("instance", p.Instance)
			o.whole("execution_id", p.ExecutionID)
			o.whole("event_id", p.EventID)
			o.ident("token", p.Token)
		})
	}
	e.retry(i.Retry)
	e.text("reason", i.Reason)
	e.ident("codec", i.Codec)
	e.payload("input", i.Input)
	e.payload("data", i.Data)
	e.payload("result", i.Result)
	e.payload("event", i.Event)
	e.events(i.Events)
	if len(i.SearchAttributes) > 0 {
		// They can always be encoded.
		data, _ := i.SearchAttributes.MarshalJSON()
		e.raw("search_attributes", forSQS(data))
	}
	if f := i.Details; f != nil {
		e.object("details", func(o *encoder) { o.failure(f) })
	}
	if len(i.Unknown) > 0 {
		e.unknown(i.Unknown)
	}
}

// unknown writes what a newer sender has in its items, by name.
func (e *encoder) unknown(fields map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if value := fields[name]; len(value) > 0 {
			e.anyName(name)
			e.out = append(e.out, forSQS(value)...)
		}
	}
}

// headers writes them by name; their checks have seen to it that they are text.
func (e *encoder) headers(headers map[string]string) {
	if len(headers) == 0 {
		return
	}
	e.object("headers", func(o *encoder) {
		for _, name := range slices.Sorted(maps.Keys(headers)) {
			if headers[name] == "" {
				o.raw(name, []byte(`""`))
				continue
			}
			o.ident(name, headers[name])
		}
	})
}

// anyName writes a name that others have chosen.
func (e *encoder) anyName(name string) {
	quoted, _ := json.Marshal(name)
	if e.out[len(e.out)-1] != '{' {
		e.out = append(e.out, ',')
	}
	e.out = append(append(e.out, forSQS(quoted)...), ':')
}

func (e *encoder) failure(f *Failure) {
	e.ident("kind", f.Kind)
	e.text("message", f.Message)
	e.text("code", f.Code)
	e.text("source", f.Source)
	e.ident("instance", f.Instance)
	e.whole("attempt", int64(f.Attempt))
	e.flag("retryable", f.Retryable)
	e.text("stack", f.Stack)
	e.payload("details", f.Details)
}

func (e *encoder) events(events []StartEvent) {
	if len(events) == 0 {
		return
	}
	e.name("events")
	before := byte('[')
	for n, ev := range events {
		e.out = append(e.out, before)
		before = ','
		e.inner(func() string { return fmt.Sprintf("events[%d]", n) }, func(o *encoder) {
			o.ident("id", ev.ID)
			o.ident("name", ev.Name)
			o.payload("data", ev.Data)
		})
	}
	e.out = append(e.out, ']')
}

func (e *encoder) retry(r *history.Retry) {
	if r == nil {
		return
	}
	e.object("retry", func(o *encoder) {
		o.whole("max_attempts", int64(r.MaxAttempts))
		o.whole("initial_ms", r.InitialMS)
		o.whole("max_ms", r.MaxMS)
		o.number("coefficient", r.Coefficient)
		o.number("jitter", r.Jitter)
		o.whole("timeout_ms", r.TimeoutMS)
		o.whole("total_timeout_ms", r.TotalTimeoutMS)
		o.whole("heartbeat_timeout_ms", r.HeartbeatTimeoutMS)
		o.flag("at_most_once", r.AtMostOnce)
		if len(r.FinalCodes) > 0 {
			codes, _ := json.Marshal(r.FinalCodes)
			o.raw("final_codes", forSQS(codes))
		}
		o.whole("batch", int64(r.Batch))
		o.whole("attempts_made", int64(r.AttemptsMade))
		o.whole("first_event_id", r.FirstEventID)
		o.text("limit_key", r.LimitKey)
		o.whole("limit", int64(r.Limit))
		o.text("rate_key", r.RateKey)
		o.whole("rate", int64(r.Rate))
		o.whole("rate_ms", r.RateMS)
		o.text("queue", r.Queue)
		o.text("fair_key", r.FairKey)
	})
}

// number writes one that is not 0.
func (e *encoder) number(field string, n float64) {
	switch {
	case n == 0:
	case n >= 1e-6 && n < 1e21: // as encoding/json does
		e.name(field)
		e.out = strconv.AppendFloat(e.out, n, 'f', -1, 64)
	default:
		raw, err := json.Marshal(n)
		if err != nil {
			e.invalid(field, "not JSON: "+err.Error())
			return
		}
		e.raw(field, raw)
	}
}

func (e *encoder) object(field string, write func(o *encoder)) {
	e.name(field)
	e.inner(func() string { return field }, write)
}

// inner writes an object; the names of its fields are parts of its own.
func (e *encoder) inner(name func() string, write func(o *encoder)) {
	o := encoder{kind: e.kind, out: append(e.out, '{')}
	write(&o)
	e.out = append(o.out, '}')
	if e.err == nil && o.err != nil {
		e.err = o.err
		e.err.Field = name() + "." + e.err.Field
	}
}

func (e *encoder) invalid(field, problem string) {
	if e.err == nil {
		e.err = &ParseError{Reason: ReasonInvalidField, Kind: e.kind, Field: field, Problem: problem}
	}
}

// name writes the name of a field; its value follows. No value ends with a
// bracket that opens.
func (e *encoder) name(field string) {
	if e.out[len(e.out)-1] != '{' {
		e.out = append(e.out, ',')
	}
	e.out = append(e.out, '"')
	e.out = append(e.out, field...)
	e.out = append(e.out, `":`...)
}

func (e *encoder) raw(field string, value []byte) {
	e.name(field)
	e.out = append(e.out, value...)
}

func (e *encoder) whole(field string, n int64) {
	if n != 0 {
		e.name(field)
		e.out = strconv.AppendInt(e.out, n, 10)
	}
}

func (e *encoder) flag(field string, set bool) {
	if set {
		e.raw(field, []byte("true"))
	}
}

// ident writes a string that has to arrive as it is.
func (e *encoder) ident(field, s string) {
	switch {
	case needsNoEscapes(s):
		e.plain(field, s)
	case !utf8.ValidString(s):
		e.invalid(field, "not UTF-8")
	default:
		e.text(field, s)
	}
}

// plain writes a string that stands in JSON as it is.
func (e *encoder) plain(field, s string) {
	if s == "" {
		return
	}
	e.name(field)
	e.out = append(e.out, '"')
	e.out = append(e.out, s...)
	e.out = append(e.out, '"')
}

// text writes a string for people.
func (e *encoder) text(field, s string) {
	if needsNoEscapes(s) {
		e.plain(field, s)
		return
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(strings.ToValidUTF8(s, "\ufffd")); err != nil {
		e.invalid(field, err.Error())
		return
	}
	e.raw(field, forSQS(bytes.TrimSpace(b.Bytes())))
}

// needsNoEscapes reports whether a text stands in JSON as it is.
func needsNoEscapes(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func (e *encoder) payload(field string, p json.RawMessage) {
	if len(p) == 0 {
		return
	}
	if !jsonscan.Valid(p) || !utf8.Valid(p) {
		e.invalid(field, "the payload is not a JSON value in UTF-8")
		return
	}
	e.raw(field, forSQS(bytes.TrimSpace(p)))
}

// forSQS escapes the characters of valid JSON that SQS does not take in a
// message. They can only stand in strings.
func forSQS(p []byte) []byte {
	if bytes.Contains(p, []byte("\ufffe")) || bytes.Contains(p, []byte("\uffff")) {
		p = bytes.ReplaceAll(p, []byte("\ufffe"), []byte(`\ufffe`))
		p = bytes.ReplaceAll(p, []byte("\uffff"), []byte(`\uffff`))
	}
	return p
}
