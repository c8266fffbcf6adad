package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/turnstile-go/turnstile/internal/near"
)

// Parse reads a work item within the DefaultLimits. Every error is a *ParseError.
//
// Unknown fields are ignored, so that later minor versions of the contract can add
// fields, and kept in Item.Unknown. Known fields must have their type, whatever the kind.
// null counts as absent, except for a payload, whose value is then null. Field names are
// case-sensitive. In the result, V is 1 if it was absent, Attempt is 1 if an
// ActivityExecute or ActivityPending had none, and an ActivityToken is replaced by the
// fields that it contains. Payloads are unmodified copies of the bytes in data.
func Parse(data []byte) (Item, error) { return Limits{}.Parse(data) }

// ParseText is Parse for the body of a message. It does not copy the body.
func ParseText(body string) (Item, error) { return Limits{}.ParseText(body) }

// ParseText is the function ParseText within these limits.
func (l Limits) ParseText(body string) (Item, error) { return l.Parse(bytesOf(body)) }

// ParseWrapped is the function ParseWrapped within these limits.
func (l Limits) ParseWrapped(body string) (Item, error) { return l.Parse(Unwrap(bytesOf(body))) }

// ParseWrapped is ParseText for the result of Unwrap.
func ParseWrapped(body string) (Item, error) { return Parse(Unwrap(bytesOf(body))) }

// bytesOf returns the bytes of a string without copying them. Neither Unwrap nor Parse
// modifies its input, and their results do not alias it.
func bytesOf(body string) []byte { return unsafe.Slice(unsafe.StringData(body), len(body)) }

// Parse is the function Parse within these limits.
func (l Limits) Parse(data []byte) (Item, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return Item{}, &ParseError{Reason: ReasonMalformed, Problem: "the body is empty; expected a work item, a JSON object"}
	}
	if !utf8.Valid(data) {
		return Item{}, &ParseError{Reason: ReasonMalformed, Problem: "the body is not UTF-8"}
	}
	room := rooms.Get().(*[16]field)
	defer func() {
		*room = [16]field{}
		rooms.Put(room)
	}()
	top, err := split(data, room)
	if err != nil {
		return Item{}, &ParseError{Reason: ReasonMalformed, Problem: "the body is not a JSON object: " + err.Error()}
	}
	p := parser{fields: top}
	item := Item{V: Version}
	p.item(&item)
	if p.err == nil {
		p.err = l.check(&item)
	}
	if p.err != nil {
		p.nearly()
		return Item{}, p.err
	}
	return item, nil
}

// nearly adds a hint to the error for a missing field if another field has a similar
// name.
func (p *parser) nearly() {
	if p.err.Reason != ReasonInvalidField || !strings.HasPrefix(p.err.Problem, missing) {
		return
	}
	names := make([]string, len(p.fields.list))
	for n := range p.fields.list {
		names[n] = string(p.fields.list[n].name)
	}
	if is := near.Name(p.err.Field, names); is != "" {
		p.err.Problem += fmt.Sprintf("; the object has a field %q: did you mean %q?", clip(is, 80), p.err.Field)
	}
}

// missing starts the problem of a required field.
const missing = "missing"

func (p *parser) item(i *Item) {
	// Version and kind come first, because an item of a newer contract must not be
	// reported as invalid.
	if v := p.fields.get("v"); v != nil {
		p.count(v, &i.V)
	}
	if p.err == nil && i.V != Version {
		p.err = &ParseError{Reason: ReasonUnknownVersion, Field: "v", Problem: fmt.Sprintf("contract version %d, but this build reads version %d", i.V, Version)}
	}
	p.kindOf(i)
	switch {
	case p.err != nil:
		return
	case i.Kind == "":
		p.invalid(&field{name: []byte("kind")}, missing+"; expected the kind of the work item, one of %s", strings.Join(kindNames(), ", "))
		return
	case !i.Kind.known():
		p.err = unknownKind(i.Kind)
		return
	}
	p.kind = i.Kind
	for n := range p.fields.list {
		p.field(&p.fields.list[n], i)
	}
	p.activityToken(i)
	if (i.Kind == ActivityExecute || i.Kind == ActivityPending) && i.Attempt == 0 {
		i.Attempt = 1
	}
}

// field reads one field of an item, and keeps unknown fields.
func (p *parser) field(f *field, i *Item) {
	switch string(f.name) {
	case "instance":
		p.text(f, &i.Instance)
	case "execution_id":
		p.whole(f, &i.ExecutionID)
	case "id":
		p.text(f, &i.ID)
	case "name":
		p.text(f, &i.Name)
	case "version":
		p.text(f, &i.OrchVersion)
	case "input":
		i.Input = p.payload(f)
	case "data":
		i.Data = p.payload(f)
	case "result":
		i.Result = p.payload(f)
	case "event":
		i.Event = p.payload(f)
	case "codec":
		p.text(f, &i.Codec)
	case "events":
		p.events(f, &i.Events)
	case "search_attributes":
		p.searchAttributes(f, &i.SearchAttributes)
	case "parent":
		p.object(f, func(o *parser) { o.parent(&i.Parent) })
	case "reason":
		p.text(f, &i.Reason)
	case "scheduling_event_id":
		p.whole(f, &i.SchedulingEventID)
	case "source_event_id":
		p.whole(f, &i.SourceEventID)
	case "token":
		p.text(f, &i.Token)
	case "activity_token":
		p.text(f, &i.ActivityToken)
	case "attempt":
		p.count(f, &i.Attempt)
	case "scheduled_at_ms":
		p.whole(f, &i.ScheduledAtMS)
	case "not_before_ms":
		p.whole(f, &i.NotBeforeMS)
	case "waits_ms":
		p.whole(f, &i.WaitsMS)
	case "turn_ms":
		p.whole(f, &i.TurnMS)
	case "retry":
		p.object(f, func(o *parser) { o.retry(&i.Retry) })
	case "details":
		p.object(f, func(o *parser) { o.failure(&i.Details) })
	case "expires_at_ms":
		p.whole(f, &i.ExpiresAtMS)
	case "reply_to":
		p.text(f, &i.ReplyTo)
	case "fire_at_ms":
		p.whole(f, &i.FireAtMS)
	case "parent_instance":
		p.text(f, &i.ParentInstance)
	case "parent_execution_id":
		p.whole(f, &i.ParentExecutionID)
	case "number":
		p.whole(f, &i.Number)
	case "before_ms":
		p.whole(f, &i.BeforeMS)
	case "ended":
		p.text(f, &i.Ended)
	case "page_token":
		p.text(f, &i.PageToken)
	case "up_to_execution":
		p.whole(f, &i.UpToExecution)
	case "force":
		p.flag(f, &i.Force)
	case "on_conflict":
		p.text(f, (*string)(&i.OnConflict))
	case "started_at_ms":
		p.whole(f, &i.StartedAtMS)
	case "request_id":
		p.text(f, &i.RequestID)
	case "sent_ms":
		p.whole(f, &i.SentMS)
	case "actor":
		p.text(f, &i.Actor)
	case "headers":
		p.object(f, func(o *parser) { o.headers(&i.Headers) })
	case "origin":
		p.object(f, func(o *parser) { o.origin(&i.Origin) })
	case "fairness_group":
		p.text(f, &i.FairnessGroup)
	case "limit_key":
		p.text(f, &i.LimitKey)
	case "limit":
		p.count(f, &i.Limit)
	case "depth":
		p.count(f, &i.Depth)
	case "first_seen_ms":
		p.whole(f, &i.FirstSeenMS)
	case "hops":
		p.count(f, &i.Hops)
	case "v", "kind":
	default:
		if i.Unknown == nil {
			i.Unknown = map[string]json.RawMessage{}
		}
		i.Unknown[string(f.name)] = p.payload(f)
	}
}

// kindOf reads the kind. Known kinds share the constants' strings.
func (p *parser) kindOf(i *Item) {
	f := p.fields.get("kind")
	if f == nil {
		return
	}
	name, _ := plain(f.raw)
	for _, k := range kinds {
		if string(name) == string(k) {
			i.Kind = k
			return
		}
	}
	var kind string
	p.text(f, &kind)
	i.Kind = Kind(kind)
}
