package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/turnstile-go/turnstile/history"
)

// Encode returns the JSON body of an item. Parse accepts the result if the item is within
// the limits, which Encode does not check.
//
// Payloads are copied into the body unchanged, except that the characters U+FFFE and
// U+FFFF, which SQS does not accept, are escaped. In texts for people (reasons,
// failures), bytes that are not UTF-8 become U+FFFD.
//
// Encode returns a *ParseError for an item that Parse would reject: a missing field, an
// unknown kind, a payload that is not JSON, an id that is not UTF-8.
func (i *Item) Encode() ([]byte, error) { return noLimits().Encode(i) }

// Encode is Item.Encode within limits: Parse with the same limits accepts the result.
// Limits that are 0 use their defaults.
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
	e.whole("waits_ms", i.WaitsMS)
	e.whole("turn_ms", i.TurnMS)
	e.whole("expires_at_ms", i.ExpiresAtMS)
	e.ident("reply_to", i.ReplyTo)
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
	e.ident("limit_key", i.LimitKey)
	e.whole("limit", int64(i.Limit))
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
		// Encoding them cannot fail.
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

// unknown writes the fields of a newer sender, sorted by name.
func (e *encoder) unknown(fields map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if value := fields[name]; len(value) > 0 {
			e.anyName(name)
			e.out = append(e.out, forSQS(value)...)
		}
	}
}

// headers writes headers sorted by name. They were checked to be valid text.
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

// anyName writes a field name that the sender chose.
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
