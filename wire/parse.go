package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/history"
)

// Parse reads a work item within the DefaultLimits. Every error is a
// *ParseError.
//
// Unknown fields are ignored, so that later minor versions of the contract
// may add some. Known fields must have their type, whatever the kind; null
// counts as absent, except for a payload, where it is the value null. Names of
// fields are case-sensitive. V is 1 and Attempt of an ActivityExecute is 1 in
// what is returned when they were absent; an ActivityToken is put apart.
// Payloads are copies of exactly the bytes that stand in data.
func Parse(data []byte) (Item, error) { return Limits{}.Parse(data) }

// Parse reads a work item within these limits; else as the function Parse.
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
		return Item{}, p.err
	}
	return item, nil
}

func (p *parser) item(i *Item) {
	// Version and kind come first: what a newer contract says must not be
	// taken for a mistake.
	p.count("v", &i.V)
	if p.err == nil && i.V != Version {
		p.err = &ParseError{Reason: ReasonUnknownVersion, Field: "v", Problem: fmt.Sprintf("contract version %d, this build reads version %d", i.V, Version)}
	}
	p.kindOf(i)
	switch {
	case p.err != nil:
		return
	case i.Kind == "":
		p.invalid("kind", "missing; expected the kind of the work item, like %q", StartOrchestration)
		return
	case !i.Kind.known():
		p.err = &ParseError{Reason: ReasonUnknownKind, Kind: i.Kind, Field: "kind", Problem: "this build does not know the kind"}
		return
	}
	p.kind = i.Kind

	p.text("instance", &i.Instance)
	p.whole("execution_id", &i.ExecutionID)
	p.text("id", &i.ID)
	p.text("name", &i.Name)
	p.text("version", &i.OrchVersion)
	i.Input = p.payload("input")
	i.Data = p.payload("data")
	i.Result = p.payload("result")
	p.text("codec", &i.Codec)
	p.events(&i.Events)
	if raw, ok := p.present("search_attributes"); ok {
		if err := i.SearchAttributes.UnmarshalJSON(raw); err != nil {
			p.invalid("search_attributes", "%v", err)
		}
	}
	p.object("parent", func(o *parser) {
		i.Parent = &Parent{}
		o.text("instance", &i.Parent.Instance)
		o.whole("execution_id", &i.Parent.ExecutionID)
		o.whole("event_id", &i.Parent.EventID)
		o.text("token", &i.Parent.Token)
	})
	p.text("reason", &i.Reason)
	p.whole("scheduling_event_id", &i.SchedulingEventID)
	p.whole("source_event_id", &i.SourceEventID)
	p.text("token", &i.Token)
	p.activityToken(i)
	p.count("attempt", &i.Attempt)
	p.whole("scheduled_at_ms", &i.ScheduledAtMS)
	p.whole("not_before_ms", &i.NotBeforeMS)
	p.retry(i)
	p.object("details", func(o *parser) {
		i.Details = &Failure{}
		o.failure(i.Details)
	})
	p.whole("fire_at_ms", &i.FireAtMS)
	p.text("parent_instance", &i.ParentInstance)
	p.whole("parent_execution_id", &i.ParentExecutionID)
	p.whole("number", &i.Number)
	p.whole("up_to_execution", &i.UpToExecution)
	p.flag("force", &i.Force)
	p.flag("use_existing", &i.UseExisting)
	p.whole("first_seen_ms", &i.FirstSeenMS)
	p.count("hops", &i.Hops)
	if (i.Kind == ActivityExecute || i.Kind == ActivityPending) && i.Attempt == 0 {
		i.Attempt = 1
	}
}

// kindOf reads the kind; those that are known are texts of our own.
func (p *parser) kindOf(i *Item) {
	name, _ := plain(p.fields.get("kind"))
	for _, k := range kinds {
		if string(name) == string(k) {
			i.Kind = k
			return
		}
	}
	var kind string
	p.text("kind", &kind)
	i.Kind = Kind(kind)
}

func (p *parser) failure(f *Failure) {
	p.text("kind", &f.Kind)
	p.text("message", &f.Message)
	p.text("code", &f.Code)
	p.text("source", &f.Source)
	p.text("instance", &f.Instance)
	p.count("attempt", &f.Attempt)
	p.flag("retryable", &f.Retryable)
	p.text("stack", &f.Stack)
	f.Details = p.payload("details")
}

func (p *parser) events(to *[]StartEvent) {
	raw, ok := p.present("events")
	if !ok {
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		p.invalid("events", "expected an array of objects, found %s", found(raw))
		return
	}
	for n, raw := range list {
		var e StartEvent
		p.inner(fmt.Sprintf("events[%d]", n), raw, func(o *parser) {
			o.text("id", &e.ID)
			o.text("name", &e.Name)
			e.Data = o.payload("data")
		})
		*to = append(*to, e)
	}
}

func (p *parser) retry(i *Item) {
	p.object("retry", func(o *parser) {
		r := &history.Retry{}
		i.Retry = r
		o.count("max_attempts", &r.MaxAttempts)
		o.whole("initial_ms", &r.InitialMS)
		o.whole("max_ms", &r.MaxMS)
		o.number("coefficient", &r.Coefficient)
		o.number("jitter", &r.Jitter)
		o.whole("timeout_ms", &r.TimeoutMS)
		o.whole("total_timeout_ms", &r.TotalTimeoutMS)
		o.whole("heartbeat_timeout_ms", &r.HeartbeatTimeoutMS)
		o.flag("at_most_once", &r.AtMostOnce)
		o.texts("final_codes", &r.FinalCodes)
		o.count("batch", &r.Batch)
		o.count("attempts_made", &r.AttemptsMade)
		o.whole("first_event_id", &r.FirstEventID)
	})
}
