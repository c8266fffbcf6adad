package wire

import (
	"encoding/json"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
)

func (p *parser) headers(to *map[string]string) {
	for n := range p.fields.list {
		f := &p.fields.list[n]
		if f.raw[0] != '"' {
			p.invalid(f, "expected a string, found %s", found(f.raw))
			return
		}
		var value string
		p.text(f, &value)
		if *to == nil {
			*to = map[string]string{}
		}
		(*to)[string(f.name)] = value
	}
}

func (p *parser) origin(to **history.Origin) {
	origin := &history.Origin{}
	*to = origin
	for n := range p.fields.list {
		switch f := &p.fields.list[n]; string(f.name) {
		case "instance":
			p.text(f, &origin.Instance)
		case "execution_id":
			p.whole(f, &origin.ExecutionID)
		case "event_id":
			p.whole(f, &origin.EventID)
		}
	}
}

func (p *parser) parent(to **Parent) {
	parent := &Parent{}
	*to = parent
	for n := range p.fields.list {
		switch f := &p.fields.list[n]; string(f.name) {
		case "instance":
			p.text(f, &parent.Instance)
		case "execution_id":
			p.whole(f, &parent.ExecutionID)
		case "event_id":
			p.whole(f, &parent.EventID)
		case "token":
			p.text(f, &parent.Token)
		}
	}
}

func (p *parser) failure(to **Failure) {
	failure := &Failure{}
	*to = failure
	for n := range p.fields.list {
		switch f := &p.fields.list[n]; string(f.name) {
		case "kind":
			p.text(f, &failure.Kind)
		case "message":
			p.text(f, &failure.Message)
		case "code":
			p.text(f, &failure.Code)
		case "source":
			p.text(f, &failure.Source)
		case "instance":
			p.text(f, &failure.Instance)
		case "attempt":
			p.count(f, &failure.Attempt)
		case "retryable":
			p.flag(f, &failure.Retryable)
		case "stack":
			p.text(f, &failure.Stack)
		case "details":
			failure.Details = p.payload(f)
		}
	}
}

func (p *parser) searchAttributes(f *field, to *history.SearchAttributes) {
	if !p.present(f) {
		return
	}
	if err := to.UnmarshalJSON(f.raw); err != nil {
		p.invalid(f, "%v", err)
	}
}

func (p *parser) events(f *field, to *[]StartEvent) {
	if !p.present(f) {
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(f.raw, &list) != nil {
		p.invalid(f, "expected an array of objects, found %s", found(f.raw))
		return
	}
	for n, raw := range list {
		var e StartEvent
		p.inner(&field{fmt.Appendf(nil, "events[%d]", n), raw}, func(o *parser) { o.event(&e) })
		*to = append(*to, e)
	}
}

func (p *parser) event(e *StartEvent) {
	for n := range p.fields.list {
		switch f := &p.fields.list[n]; string(f.name) {
		case "id":
			p.text(f, &e.ID)
		case "name":
			p.text(f, &e.Name)
		case "data":
			e.Data = p.payload(f)
		}
	}
}

func (p *parser) retry(to **history.Retry) {
	r := &history.Retry{}
	*to = r
	for n := range p.fields.list {
		switch f := &p.fields.list[n]; string(f.name) {
		case "max_attempts":
			p.count(f, &r.MaxAttempts)
		case "initial_ms":
			p.whole(f, &r.InitialMS)
		case "max_ms":
			p.whole(f, &r.MaxMS)
		case "coefficient":
			p.number(f, &r.Coefficient)
		case "jitter":
			p.number(f, &r.Jitter)
		case "timeout_ms":
			p.whole(f, &r.TimeoutMS)
		case "total_timeout_ms":
			p.whole(f, &r.TotalTimeoutMS)
		case "heartbeat_timeout_ms":
			p.whole(f, &r.HeartbeatTimeoutMS)
		case "at_most_once":
			p.flag(f, &r.AtMostOnce)
		case "final_codes":
			p.texts(f, &r.FinalCodes)
		case "batch":
			p.count(f, &r.Batch)
		case "attempts_made":
			p.count(f, &r.AttemptsMade)
		case "first_event_id":
			p.whole(f, &r.FirstEventID)
		case "limit_key":
			p.text(f, &r.LimitKey)
		case "limit":
			p.count(f, &r.Limit)
		case "rate_key":
			p.text(f, &r.RateKey)
		case "rate":
			p.count(f, &r.Rate)
		case "rate_ms":
			p.whole(f, &r.RateMS)
		case "queue":
			p.text(f, &r.Queue)
		case "fair_key":
			p.text(f, &r.FairKey)
		}
	}
}
