package history_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/history"
)

// anyBytes is any string, valid UTF-8 or not.
func anyBytes() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
}

// anyPayload is nil, JSON, JSON with white space around it, or any bytes.
func anyPayload(texts *rapid.Generator[string]) *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		switch rapid.IntRange(0, 4).Draw(t, "payload") {
		case 0:
			return nil
		case 1:
			p, err := json.Marshal(texts.Draw(t, "string"))
			if err != nil {
				t.Fatal(err)
			}
			return p
		case 2:
			v := map[string]any{texts.Draw(t, "key"): []any{nil, true, rapid.Float64Range(-1e300, 1e300).Draw(t, "number"), map[string]any{}}}
			p, err := json.MarshalIndent(v, "", rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "indent"))
			if err != nil {
				t.Fatal(err)
			}
			return p
		case 3:
			return []byte(rapid.SampledFrom([]string{"null", "0", "-1.5e+3", " 1", "1\n", "{}", "[]", "[1,]", "{", `"\ud800"`, `"a`, "truth", "01", "\x00"}).Draw(t, "fixed"))
		}
		if p := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"); len(p) > 0 {
			return p
		}
		return nil
	})
}

// anyEvent is any event that a history can hold. Fields that are encoded for every kind
// are set whether or not the kind uses them.
func anyEvent(texts *rapid.Generator[string]) *rapid.Generator[history.Event] {
	return rapid.Custom(func(t *rapid.T) history.Event {
		text := func(label string) string {
			if rapid.Bool().Draw(t, label+" set") {
				return texts.Draw(t, label)
			}
			return ""
		}
		list := func(label string) []string {
			l := rapid.SliceOfN(texts, 0, 3).Draw(t, label)
			if len(l) == 0 {
				return nil
			}
			return l
		}
		id := rapid.Int64Min(1)
		whole := rapid.Int64()
		payload := anyPayload(texts)
		e := history.Event{
			Kind:    rapid.SampledFrom(history.Kinds()).Draw(t, "kind"),
			EventID: id.Draw(t, "event_id"), AtMS: whole.Draw(t, "at_ms"), SourceEventID: rapid.Int64Min(0).Draw(t, "source"),
			Name: text("name"), Version: text("version"), Instance: text("instance"), ForkOf: text("fork_of"), Label: text("label"), Codec: text("codec"),
			FireAtMS: whole.Draw(t, "fire_at_ms"), DurationMS: whole.Draw(t, "duration_ms"), Op: text("op"),
			Inline: rapid.Bool().Draw(t, "inline"), ExplicitID: rapid.Bool().Draw(t, "explicit_id"),
			OnParentEnd: rapid.SampledFrom([]string{"", "cancel", "terminate"}).Draw(t, "on_parent_end"),
			UseExisting: rapid.Bool().Draw(t, "use_existing"), WithPrevious: rapid.Bool().Draw(t, "with_previous"),
			SenderID: text("sender_id"), Reason: text("reason"), Forced: text("forced"),
			StartedAtMS: whole.Draw(t, "started_at_ms"), Attempt: rapid.Int().Draw(t, "attempt"), RequestID: text("request_id"), Actor: text("actor"),
		}
		switch e.Kind {
		case history.OrchestrationStarted, history.OrchestrationContinuedAsNew, history.ActivityScheduled,
			history.SubOrchestrationScheduled, history.OrchestrationChained, history.OrchestrationCompleted,
			history.ActivityCompleted, history.SubOrchestrationCompleted, history.ExternalEvent, history.SystemCall:
			e.Payload = payload.Draw(t, "payload")
		}
		if e.Kind == history.OrchestrationStarted || e.Kind == history.ParentAttached || e.Kind == history.OrchestrationRedriven {
			e.Start = &history.Start{
				ExecutionID: rapid.Int64Min(0).Draw(t, "execution_id"), StartID: text("start_id"), Secret: text("secret"),
				SenderIDs: list("sender_ids"), States: payload.Draw(t, "states"),
				SearchAttributes: anySearchAttributes().Draw(t, "search_attributes"), FairnessGroup: text("fairness_group"),
				Headers: rapid.MapOfN(rapid.String(), rapid.String(), 0, 3).Draw(t, "headers"),
			}
			if len(e.Start.Headers) == 0 {
				e.Start.Headers = nil
			}
			if rapid.Bool().Draw(t, "origin") {
				e.Start.Origin = &history.Origin{Instance: text("origin_instance"), ExecutionID: rapid.Int64Min(0).Draw(t, "origin_execution_id"),
					EventID: rapid.Int64Min(0).Draw(t, "origin_event_id"), FirstExecutionID: rapid.Int64Min(0).Draw(t, "origin_first_execution_id"), FirstInstance: text("origin_first_instance"),
					ForkedExecutionID: rapid.Int64Min(0).Draw(t, "origin_forked_execution_id")}
				for range rapid.IntRange(0, 3).Draw(t, "carried") {
					e.Start.Origin.Carried = append(e.Start.Origin.Carried, history.Carried{
						EventID: rapid.Int64Min(1).Draw(t, "carried_event_id"), ExecutionID: rapid.Int64Min(1).Draw(t, "carried_execution_id"), Instance: text("carried_instance")})
				}
			}
			if rapid.Bool().Draw(t, "parent") {
				e.Start.Parent = &history.Parent{
					Instance: text("parent_instance"), ExecutionID: rapid.Int64Min(0).Draw(t, "parent_execution_id"),
					EventID: rapid.Int64Min(0).Draw(t, "parent_id"), Token: text("parent_token"),
				}
			}
		}
		if rapid.Bool().Draw(t, "retry") {
			e.Retry = &history.Retry{
				MaxAttempts: rapid.Int().Draw(t, "max_attempts"), InitialMS: whole.Draw(t, "initial_ms"), MaxMS: whole.Draw(t, "max_ms"),
				Coefficient: rapid.Float64().Draw(t, "coefficient"), Jitter: rapid.Float64().Draw(t, "jitter"),
				TimeoutMS: whole.Draw(t, "timeout_ms"), FinalCodes: list("final_codes"),
				LimitKey: text("limit_key"), Limit: rapid.IntMin(0).Draw(t, "limit"), RateKey: text("rate_key"), Rate: rapid.IntMin(0).Draw(t, "rate"), RateMS: whole.Draw(t, "rate_ms"),
				Queue: text("queue"), FairKey: text("fair_key"),
			}
			if e.Retry.Coefficient == 0 { // not -0, which is left out
				e.Retry.Coefficient = 0
			}
			if e.Retry.Jitter == 0 {
				e.Retry.Jitter = 0
			}
		}
		if rapid.Bool().Draw(t, "failure") {
			e.Failure = &history.Failure{
				Kind: text("failure kind"), Message: text("message"), Code: text("code"), Source: text("source"),
				Instance: text("failure instance"), Attempt: rapid.Int().Draw(t, "attempt"),
				Retryable: rapid.Bool().Draw(t, "retryable"), Stack: text("stack"), Details: payload.Draw(t, "details"),
			}
		}
		return e
	})
}

// A recorded history decodes to the same bytes, including strings that are not UTF-8 and
// payloads that are not JSON.
func TestAnyHistoryRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(anyEvent(anyBytes()), 0, 6).Draw(t, "events")
		data := history.Encode(want)
		if !json.Valid(data) || !utf8.Valid(data) {
			t.Fatalf("not JSON in UTF-8: %q", data)
		}
		got, err := history.Decode(data)
		if err != nil {
			t.Fatalf("%v in %q", err, data)
		}
		if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q\n got %+v\nwant %+v", data, got, want)
		}
		if again := history.Encode(got); string(again) != string(data) {
			t.Fatalf("encoding is not stable:\n%q\n%q", data, again)
		}
	})
}

// Other JSON writers may order fields differently, put white space between them, and
// escape characters that need no escape.
func TestAnyOrderAndSpacingOfADocumentGivesTheSameEvents(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(anyEvent(rapid.String()), 0, 4).Draw(t, "events")
		for i := range want { // payload bytes would be rewritten here
			want[i].Payload = nil
			if want[i].Start != nil {
				want[i].Start.States = nil
				want[i].Start.SearchAttributes = nil // names in it are data
				want[i].Start.Headers = nil
			}
			if want[i].Failure != nil {
				want[i].Failure.Details = nil
			}
		}
		data := rewritten(t, history.Encode(want))
		got, err := history.Decode(data)
		if err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\n got %+v\nwant %+v", data, got, want)
		}
	})
}

// rewritten returns a JSON document with its fields in another order, unknown fields
// among them, all characters escaped, and white space added.
func rewritten(t *rapid.T, data []byte) []byte {
	var out strings.Builder
	space := func() { out.WriteString(rapid.SampledFrom([]string{"", " ", "\n\t", "\r"}).Draw(t, "space")) }
	var value func(raw json.RawMessage)
	text := func(s string) {
		out.WriteByte('"')
		for _, r := range s {
			escape(&out, r)
		}
		out.WriteByte('"')
	}
	value = func(raw json.RawMessage) {
		space()
		switch raw[0] {
		case '{':
			fields := map[string]json.RawMessage{}
			if err := json.Unmarshal(raw, &fields); err != nil {
				t.Fatal(err)
			}
			keys := slices.Sorted(maps.Keys(fields))
			keys = append(keys, "colour", "colour") // unknown, and twice
			out.WriteByte('{')
			for n, k := range rapid.Permutation(keys).Draw(t, "order") {
				if n > 0 {
					out.WriteByte(',')
				}
				space()
				text(k)
				space()
				out.WriteByte(':')
				if k == "colour" {
					out.WriteString(`{"events":[1,{"kind":"x"}],"v":7}`)
				} else {
					value(fields[k])
				}
				space()
			}
			out.WriteByte('}')
		case '[':
			var list []json.RawMessage
			if err := json.Unmarshal(raw, &list); err != nil {
				t.Fatal(err)
			}
			out.WriteByte('[')
			for n, e := range list {
				if n > 0 {
					out.WriteByte(',')
				}
				value(e)
				space()
			}
			out.WriteByte(']')
		case '"':
			var s string
			if err := json.Unmarshal(raw, &s); err != nil {
				t.Fatal(err)
			}
			text(s)
		default:
			out.Write(raw)
		}
		space()
	}
	value(data)
	return []byte(out.String())
}

func escape(out *strings.Builder, r rune) {
	const hex = "0123456789abcdefABCDEF"
	unit := func(u rune) {
		out.WriteString(`\u`)
		for shift := 12; shift >= 0; shift -= 4 {
			out.WriteByte(hex[u>>shift&15])
		}
	}
	if r > 0xffff {
		r -= 0x10000
		unit(0xd800 + r>>10)
		unit(0xdc00 + r&0x3ff)
		return
	}
	unit(r)
}
