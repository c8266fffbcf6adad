package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// items has one item of every kind, with every field that the kind uses.
func items() []wire.Item {
	failure := &wire.Failure{
		Kind: history.FailureApplication, Message: "card <declined> & \"more\"\n", Code: "declined", Source: "Charge",
		Instance: "order-1/ship", Attempt: 3, Retryable: true, Stack: "goroutine 1", Details: []byte(`{"limit": 1.0}`),
	}
	return []wire.Item{
		{V: 1, Kind: wire.StartOrchestration, Instance: "order-1", ID: "s1", Name: "Fulfil", OrchVersion: "2",
			Input: []byte("{ \"a\" : \"<&>\",\n\"b\":1.50}"), Codec: "zstd",
			Events: []wire.StartEvent{{ID: "e1", Name: "approved", Data: []byte(`null`)}, {Name: "paid"}},
			Parent: &wire.Parent{Instance: "p", ExecutionID: 2, EventID: 7, Token: "t"}},
		{V: 1, Kind: wire.ExternalRaised, Instance: "order-1", ID: "e1", Name: "approved", Data: []byte(`[1, 2]`), FirstSeenMS: 5, Hops: 2},
		{V: 1, Kind: wire.CancelInstance, Instance: "order-1", ExecutionID: 2, ID: "c1", Reason: "changed \u2028 mind"},
		{V: 1, Kind: wire.TerminateInstance, Instance: "order-1", ID: "t1", Reason: "by hand"},
		{V: 1, Kind: wire.Wake, Instance: "order-1", ID: "w1", Number: 4},
		{V: 1, Kind: wire.PurgeInstance, Instance: "order-1", ID: "p1", UpToExecution: 3, Force: true},
		{V: 1, Kind: wire.Sweep, ID: "ended-1", Ended: "name Fulfil", PageToken: "AbC-_", BeforeMS: 1700000000000},
		{V: 1, Kind: wire.StartOrchestration, Instance: "order-1", ID: "s9", Name: "Fulfil", OnConflict: wire.ConflictUseExisting},
		{V: 1, Kind: wire.StartOrchestration, Instance: "order-1", ID: "s8", Name: "Fulfil", LimitKey: "customer ü", Limit: 2},
		{V: 1, Kind: wire.ActivityExecute, Instance: "order-1", ExecutionID: 1, SchedulingEventID: 3, Name: "Charge", Token: "t",
			Attempt: 2, ScheduledAtMS: 6, NotBeforeMS: 7, WaitsMS: 8, TurnMS: 9, Input: []byte(`"x"`),
			Retry: &history.Retry{MaxAttempts: 3, InitialMS: 1, MaxMS: 2, Coefficient: 1.5, Jitter: 0.5, TimeoutMS: 9, FinalCodes: []string{"declined"}, LimitKey: "stripe", Limit: 20, RateKey: "ü", Rate: 100, RateMS: 1000, Queue: "gpu", FairKey: "tenant ü"}},
		{V: 1, Kind: wire.ActivityCompleted, Instance: "order-1", ExecutionID: 1, SourceEventID: 3, Token: "t", Result: []byte(`true`)},
		{V: 1, Kind: wire.ActivityFailed, Instance: "order-1", ExecutionID: 1, SourceEventID: 3, Token: "t", Details: failure},
		{V: 1, Kind: wire.ActivityPending, Instance: "order-1", ExecutionID: 1, SourceEventID: 3, Token: "t", Attempt: 1, SentMS: 6, NotBeforeMS: 7},
		{V: 1, Kind: wire.TimerFired, Instance: "order-1", ExecutionID: 1, SourceEventID: 4, Token: "t", FireAtMS: 1700000000000},
		{V: 1, Kind: wire.SubOrchCompleted, ParentInstance: "p", ParentExecutionID: 2, SourceEventID: 7, Token: "t", Result: []byte(`0`)},
		{V: 1, Kind: wire.SubOrchFailed, ParentInstance: "p", ParentExecutionID: 2, SourceEventID: 7, Token: "t", Details: &wire.Failure{Message: "m"}},
		{V: 1, Kind: wire.StartOrchestration, Instance: "order-2", ID: "s2", Name: "Fulfil", SentMS: 1700000000000, Actor: "user/ada",
			Headers: map[string]string{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "tenant": "café <1>", "empty": ""},
			Origin:  &history.Origin{Instance: "order-0", ExecutionID: 2, EventID: 9}, FairnessGroup: "tenant-1"},
		{V: 1, Kind: wire.ActivityCompleted, Instance: "order-1", ExecutionID: 1, SourceEventID: 5, Token: "t", Attempt: 2,
			StartedAtMS: 1700000000000, RequestID: "6f0c3b5e-9c3b-4a36-8d5e-1f2a3b4c5d6e", SentMS: 1700000000001},
		{V: 1, Kind: wire.ExternalRaised, Instance: "order-1", ID: "e2", Name: "approved", Codec: "blob/s3", Data: []byte(`"czM6"`),
			Unknown: map[string]json.RawMessage{"colour": []byte(`{"a":[1,"ä"]}`)}},
	}
}

func TestEveryKindRoundTrips(t *testing.T) {
	t.Parallel()
	for _, want := range items() {
		body, err := want.Encode()
		if err != nil {
			t.Errorf("%s: %v", want.Kind, err)
			continue
		}
		got, err := wire.Parse(body)
		if err != nil {
			t.Errorf("%s: %v in %s", want.Kind, err, body)
			continue
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", want.Kind, got, want)
		}
	}
}

func TestParseAcceptsEveryFormThatTheContractAllows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body string
		want wire.Item
	}{
		"unknown fields are ignored, whatever they hold, and kept": {
			`{"kind":"Wake","instance":"i","colour":{"a":[1]},"Instance":7}`,
			wire.Item{V: 1, Kind: wire.Wake, Instance: "i", Unknown: map[string]json.RawMessage{"colour": []byte(`{"a":[1]}`), "Instance": []byte("7")}},
		},
		"null counts as absent": {
			`{"v":null,"kind":"StartOrchestration","instance":"i","name":"n","id":null,"events":null,"parent":null,"retry":null}`,
			wire.Item{V: 1, Kind: wire.StartOrchestration, Instance: "i", Name: "n"},
		},
		"a payload of null is the value null": {
			`{"kind":"ExternalRaised","instance":"i","name":"n","data":null}`,
			wire.Item{V: 1, Kind: wire.ExternalRaised, Instance: "i", Name: "n", Data: []byte("null")},
		},
		"payload bytes are kept, space around them is not theirs": {
			"\n{ \"kind\":\"ExternalRaised\",\"instance\":\"i\",\"name\":\"n\",\"data\":\t{ \"b\" : 1.0,\r\n\"a\":\"\\u00e4<\" } \n}\n",
			wire.Item{V: 1, Kind: wire.ExternalRaised, Instance: "i", Name: "n", Data: []byte("{ \"b\" : 1.0,\r\n\"a\":\"\\u00e4<\" }")},
		},
		"the first attempt need not be numbered": {
			`{"kind":"ActivityExecute","instance":"i","execution_id":1,"scheduling_event_id":2,"name":"n","token":"t"}`,
			wire.Item{V: 1, Kind: wire.ActivityExecute, Instance: "i", ExecutionID: 1, SchedulingEventID: 2, Name: "n", Token: "t", Attempt: 1},
		},
		"ids may hold any script, and pairs of escapes": {
			`{"kind":"Wake","instance":"bestellung ä \ud83d\ude00 \\ud800"}`,
			wire.Item{V: 1, Kind: wire.Wake, Instance: "bestellung ä 😀 \\ud800"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := wire.Parse([]byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("\n got %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestM05ABadBodyIsRefusedWithItsReason(t *testing.T) {
	t.Parallel()
	start := func(fields string) string {
		return `{"v":1,"kind":"StartOrchestration","instance":"i","name":"n"` + fields + `}`
	}
	for name, c := range map[string]struct {
		body   string
		reason wire.Reason
		field  string
		says   string
	}{
		"an empty body":                    {"", wire.ReasonMalformed, "", "empty"},
		"a body of white space":            {" \n", wire.ReasonMalformed, "", "empty"},
		"no JSON":                          {"start order-1", wire.ReasonMalformed, "", "not a JSON object"},
		"an array":                         {"[1]", wire.ReasonMalformed, "", `starts with "[1]"`},
		"a string":                         {`"x"`, wire.ReasonMalformed, "", "starts with"},
		"a cut off object":                 {`{"v":1,"kind":"Wake"`, wire.ReasonMalformed, "", "ends too early"},
		"a cut off string":                 {`{"v":1,"kind":"Wa`, wire.ReasonMalformed, "", "ends too early"},
		"two objects":                      {`{"kind":"Wake","instance":"i"}{}`, wire.ReasonMalformed, "", "data after the object"},
		"text behind the object":           {`{"kind":"Wake","instance":"i"} x`, wire.ReasonMalformed, "", "data after the object"},
		"a field given twice":              {`{"kind":"Wake","instance":"i","instance":"j"}`, wire.ReasonMalformed, "", `"instance" is given twice`},
		"bytes that are not UTF-8":         {"{\"kind\":\"Wake\",\"instance\":\"\xff\"}", wire.ReasonMalformed, "", "UTF-8"},
		"a megabyte of noise":              {strings.Repeat("~noise~ ", 1<<17), wire.ReasonMalformed, "", "not a JSON object"},
		"a megabyte of brackets":           {`{"kind":` + strings.Repeat("[", 1<<20), wire.ReasonMalformed, "", "not a JSON object"},
		"a newer version":                  {`{"v":2,"kind":"Leap","instance":7}`, wire.ReasonUnknownVersion, "v", "version 2"},
		"version 0":                        {`{"v":0,"kind":"Wake","instance":"i"}`, wire.ReasonUnknownVersion, "v", "version 0"},
		"a version that is no number":      {`{"v":"1","kind":"Wake","instance":"i"}`, wire.ReasonInvalidField, "v", "whole number"},
		"no kind":                          {`{"v":1,"instance":"i"}`, wire.ReasonInvalidField, "kind", "missing"},
		"a mistyped kind":                  {`{"kind":7}`, wire.ReasonInvalidField, "kind", "expected a string, found the number 7"},
		"an unknown kind":                  {`{"kind":"Leap","instance":7}`, wire.ReasonUnknownKind, "kind", "does not know"},
		"a kind in the wrong case":         {`{"kind":"wake","instance":"i"}`, wire.ReasonUnknownKind, "kind", "does not know"},
		"no instance":                      {`{"kind":"StartOrchestration","name":"n"}`, wire.ReasonInvalidField, "instance", "missing"},
		"a mistyped instance":              {`{"kind":"Wake","instance":{"id":1}}`, wire.ReasonInvalidField, "instance", "expected a string, found an object"},
		"a control character in an id":     {`{"kind":"Wake","instance":"a\u0000b"}`, wire.ReasonInvalidField, "instance", "control character U+0000 at byte 1"},
		"half a surrogate pair in an id":   {`{"kind":"Wake","instance":"a\ud800b"}`, wire.ReasonInvalidField, "instance", "surrogate"},
		"a low surrogate alone":            {`{"kind":"Wake","instance":"\uDC00"}`, wire.ReasonInvalidField, "instance", "surrogate"},
		"a start without a name":           {`{"kind":"StartOrchestration","instance":"i"}`, wire.ReasonInvalidField, "name", "missing"},
		"an event without a name":          {`{"kind":"ExternalRaised","instance":"i"}`, wire.ReasonInvalidField, "name", "missing"},
		"a fraction for a whole number":    {`{"kind":"Wake","instance":"i","number":1.5}`, wire.ReasonInvalidField, "number", "found the number 1.5"},
		"a negative number":                {`{"kind":"Wake","instance":"i","number":-1}`, wire.ReasonInvalidField, "number", "from 0"},
		"a number over 64 bits":            {`{"kind":"Wake","instance":"i","number":9223372036854775808}`, wire.ReasonInvalidField, "number", "from 0"},
		"a mistyped flag":                  {`{"kind":"PurgeInstance","instance":"i","force":"yes"}`, wire.ReasonInvalidField, "force", "true or false"},
		"first events that are no array":   {start(`,"events":{}`), wire.ReasonInvalidField, "events", "expected an array"},
		"a first event that is no object":  {start(`,"events":[1]`), wire.ReasonInvalidField, "events[0]", "expected an object"},
		"a first event without a name":     {start(`,"events":[{"name":"a"},{}]`), wire.ReasonInvalidField, "events[1].name", "missing"},
		"a mistyped name of a first event": {start(`,"events":[{"name":1}]`), wire.ReasonInvalidField, "events[0].name", "expected a string"},
		"a parent without a token":         {start(`,"parent":{"instance":"p","execution_id":1,"event_id":2}`), wire.ReasonInvalidField, "parent.token", "missing"},
		"a parent that is no object":       {start(`,"parent":"p"`), wire.ReasonInvalidField, "parent", "expected an object"},
		"a field twice in the parent":      {start(`,"parent":{"instance":"p","instance":"p"}`), wire.ReasonInvalidField, "parent", "twice"},
		"an attempt without its event":     {`{"kind":"ActivityExecute","instance":"i","execution_id":1,"name":"n","token":"t"}`, wire.ReasonInvalidField, "scheduling_event_id", "missing"},
		"a mistyped retry":                 {`{"kind":"ActivityExecute","instance":"i","execution_id":1,"name":"n","token":"t","scheduling_event_id":1,"retry":{"max_attempts":"3"}}`, wire.ReasonInvalidField, "retry.max_attempts", "expected a whole number"},
		"a retry out of range":             {`{"kind":"ActivityExecute","instance":"i","execution_id":1,"name":"n","token":"t","scheduling_event_id":1,"retry":{"jitter":2}}`, wire.ReasonInvalidField, "retry", "jitter"},
		"a completion without execution":   {`{"kind":"ActivityCompleted","instance":"i","source_event_id":1,"token":"t"}`, wire.ReasonInvalidField, "execution_id", "missing"},
		"a completion without source":      {`{"kind":"ActivityCompleted","instance":"i","execution_id":1,"token":"t"}`, wire.ReasonInvalidField, "source_event_id", "missing"},
		"a completion without token":       {`{"kind":"ActivityCompleted","instance":"i","execution_id":1,"source_event_id":1}`, wire.ReasonInvalidField, "token", "missing"},
		"a failure without details":        {`{"kind":"ActivityFailed","instance":"i","execution_id":1,"source_event_id":1,"token":"t"}`, wire.ReasonInvalidField, "details", "missing"},
		"mistyped details":                 {`{"kind":"ActivityFailed","instance":"i","execution_id":1,"source_event_id":1,"token":"t","details":"x"}`, wire.ReasonInvalidField, "details", "expected an object"},
		"a firing without its time":        {`{"kind":"TimerFired","instance":"i","execution_id":1,"source_event_id":1,"token":"t"}`, wire.ReasonInvalidField, "fire_at_ms", "missing"},
		"a child's end without the parent": {`{"kind":"SubOrchCompleted","instance":"i","source_event_id":1,"token":"t"}`, wire.ReasonInvalidField, "parent_instance", "missing"},
		"nanoseconds for milliseconds":     {`{"kind":"TimerFired","instance":"i","execution_id":1,"source_event_id":1,"token":"t","fire_at_ms":1767229200000000000}`, wire.ReasonInvalidField, "fire_at_ms", "not microseconds or nanoseconds"},
		"microseconds for milliseconds":    {`{"kind":"Wake","instance":"i","sent_ms":1767229200000000}`, wire.ReasonInvalidField, "sent_ms", "not microseconds"},
		"a wait over 292 years":            {`{"kind":"ActivityExecute","instance":"i","execution_id":1,"name":"n","token":"t","scheduling_event_id":1,"retry":{"total_timeout_ms":9223372036855}}`, wire.ReasonInvalidField, "retry", "292 years"},
		"headers that are no object":       {start(`,"headers":"x"`), wire.ReasonInvalidField, "headers", "expected an object"},
		"a header that is no string":       {start(`,"headers":{"a":1}`), wire.ReasonInvalidField, "headers.a", "expected a string"},
		"a header that is null":            {start(`,"headers":{"a":null}`), wire.ReasonInvalidField, "headers.a", "found null"},
		"a header in capitals":             {start(`,"headers":{"Tenant":"x"}`), wire.ReasonInvalidField, "headers", "lower-case"},
		"a header without a name":          {start(`,"headers":{"":"x"}`), wire.ReasonInvalidField, "headers", "lower-case"},
		"a header over two lines":          {start(`,"headers":{"a":"x\ny"}`), wire.ReasonInvalidField, "headers", "U+000A"},
		"seventeen headers":                {start(`,"headers":` + manyHeaders(17)), wire.ReasonInvalidField, "headers", "17 headers exceed the limit of 16"},
		"headers of over four kilobytes":   {start(`,"headers":{"a":"` + strings.Repeat("x", 4096) + `"}`), wire.ReasonInvalidField, "headers", "4097 bytes"},
		"an origin that is no object":      {start(`,"origin":"order-0"`), wire.ReasonInvalidField, "origin", "expected an object"},
		"an origin in itself":              {start(`,"origin":{"instance":"i"}`), wire.ReasonInvalidField, "origin", "requires on_conflict"},
		"a fork with a policy":             {start(`,"on_conflict":"redrive","origin":{"instance":"order-0"}`), wire.ReasonInvalidField, "on_conflict", "starts a new instance"},
		"a mistyped origin":                {start(`,"origin":{"event_id":"9"}`), wire.ReasonInvalidField, "origin.event_id", "whole number"},
		"an actor over two lines":          {start(`,"actor":"ada\r\nadmin"`), wire.ReasonInvalidField, "actor", "U+000D"},
		"a mistyped actor":                 {start(`,"actor":{"user":"ada"}`), wire.ReasonInvalidField, "actor", "expected a string"},
		"a child's failure without reason": {`{"kind":"SubOrchFailed","parent_instance":"i","parent_execution_id":1,"source_event_id":1,"token":"t"}`, wire.ReasonInvalidField, "details", "missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := wire.Parse([]byte(c.body))
			var parse *wire.ParseError
			if !errors.As(err, &parse) {
				t.Fatalf("got %v, want a *ParseError", err)
			}
			if parse.Reason != c.reason || parse.Field != c.field || !strings.Contains(parse.Error(), c.says) {
				t.Errorf("got %v (reason %s, field %q), want reason %s, field %q, saying %q", err, parse.Reason, parse.Field, c.reason, c.field, c.says)
			}
			if len(err.Error()) > 450 {
				t.Errorf("the error repeats the body: %d bytes", len(err.Error()))
			}
		})
	}
}

func TestL01AValueAtItsLimitIsAcceptedAndOneByteMoreIsRefused(t *testing.T) {
	t.Parallel()
	x := func(n int) string { return strings.Repeat("x", n) }
	for name, c := range map[string]struct {
		limit int
		field string
		item  func(n int) wire.Item
	}{
		"instance id": {512, "instance", func(n int) wire.Item { return wire.Item{Kind: wire.Wake, Instance: x(n)} }},
		"id":          {256, "id", func(n int) wire.Item { return wire.Item{Kind: wire.Wake, Instance: "i", ID: x(n)} }},
		"name": {256, "name", func(n int) wire.Item {
			return wire.Item{Kind: wire.StartOrchestration, Instance: "i", Name: x(n)}
		}},
		"input": {256 << 10, "input", func(n int) wire.Item {
			return wire.Item{Kind: wire.StartOrchestration, Instance: "i", Name: "n", Input: []byte(`"` + x(n-2) + `"`)}
		}},
		"data": {256 << 10, "data", func(n int) wire.Item {
			return wire.Item{Kind: wire.ExternalRaised, Instance: "i", Name: "n", Data: []byte(`"` + x(n-2) + `"`)}
		}},
		"data of a first event": {256 << 10, "events[0].data", func(n int) wire.Item {
			return wire.Item{Kind: wire.StartOrchestration, Instance: "i", Name: "n", Events: []wire.StartEvent{{Name: "e", Data: []byte(`"` + x(n-2) + `"`)}}}
		}},
		"result": {256 << 10, "result", func(n int) wire.Item {
			return wire.Item{Kind: wire.ActivityCompleted, Instance: "i", ExecutionID: 1, SourceEventID: 1, Token: "t", Result: []byte(`"` + x(n-2) + `"`)}
		}},
		"actor":          {256, "actor", func(n int) wire.Item { return wire.Item{Kind: wire.Wake, Instance: "i", Actor: x(n)} }},
		"request id":     {256, "request_id", func(n int) wire.Item { return wire.Item{Kind: wire.Wake, Instance: "i", RequestID: x(n)} }},
		"fairness group": {256, "fairness_group", func(n int) wire.Item { return wire.Item{Kind: wire.Wake, Instance: "i", FairnessGroup: x(n)} }},
		"reason": {64 << 10, "reason", func(n int) wire.Item {
			return wire.Item{Kind: wire.CancelInstance, Instance: "i", Reason: x(n)}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, over := c.item(c.limit), c.item(c.limit+1)
			if _, err := wire.Parse(encode(t, at)); err != nil {
				t.Errorf("at the limit: %v", err)
			}
			_, err := wire.Parse(encode(t, over))
			var parse *wire.ParseError
			if !errors.As(err, &parse) || parse.Reason != wire.ReasonTooLarge || parse.Field != c.field {
				t.Errorf("one byte more: got %v, want reason %s, field %q", err, wire.ReasonTooLarge, c.field)
			}
			if _, err := (wire.Limits{InstanceID: -1, ID: -1, Name: -1, Payload: -1, Text: -1}).Parse(encode(t, over)); err != nil {
				t.Errorf("without limits: %v", err)
			}
			if err := (wire.Limits{}).Check(&over); err == nil {
				t.Error("Check takes what Parse refuses")
			}
		})
	}
}

func manyHeaders(n int) string {
	all := map[string]string{}
	for i := range n {
		all[fmt.Sprintf("h%d", i)] = "x"
	}
	data, _ := json.Marshal(all)
	return string(data)
}

func encode(t testing.TB, i wire.Item) []byte {
	t.Helper()
	body, err := i.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// FuzzParse looks for bodies that crash Parse, and for items that it accepts but cannot
// encode again.
func FuzzParse(f *testing.F) {
	for _, i := range items() {
		f.Add(encode(f, i))
	}
	f.Add([]byte(`{"kind":"Wake","instance":"\ud83d\ude00","retry":{"jitter":1e-3},"events":[{"name":""}]}`))
	f.Add([]byte(`{"MessageBody":"{}"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		wire.Unwrap(body)
		item, err := wire.Parse(body)
		if err != nil {
			var parse *wire.ParseError
			if !errors.As(err, &parse) || parse.Reason == "" || parse.Problem == "" {
				t.Fatalf("%v is no full *ParseError", err)
			}
			return
		}
		if id := wire.DedupID(&item); len(id) > 128 {
			t.Fatalf("deduplication id of %d characters", len(id))
		}
		again, err := item.Encode()
		if err != nil {
			t.Fatalf("%v: parsed from %q", err, body)
		}
		back, err := wire.Parse(again)
		if err != nil {
			t.Fatalf("%v in %q, from %q", err, again, body)
		}
		third, err := back.Encode()
		if err != nil || string(third) != string(again) {
			t.Fatalf("%v: %q became %q", err, again, third)
		}
	})
}
