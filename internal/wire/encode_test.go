package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

func TestEncodeKeepsPayloadBytesExactly(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{
		"{ \"b\" : 1.0,\r\n\t\"a\" : [ ] }", `"<script>&\u2028"`, "\"\u2028\"", `1e+2`, `"ä\u00e4"`, `{"a":1,"a":2}`, `null`,
	} {
		i := wire.Item{Kind: wire.ExternalRaised, Instance: "i", Name: "n", Data: json.RawMessage(payload)}
		body := encode(t, i)
		if !bytes.Contains(body, []byte(`"data":`+payload)) {
			t.Errorf("payload %q in the body %s", payload, body)
		}
		got, err := wire.Parse(body)
		if err != nil || string(got.Data) != payload {
			t.Errorf("payload %q came back as %q, %v", payload, got.Data, err)
		}
	}
}

func TestEncodeEscapesCharactersThatSQSDoesNotAccept(t *testing.T) {
	t.Parallel()
	i := wire.Item{Kind: wire.CancelInstance, Instance: "a", Reason: "\uffff\ufffe\x00\xff", Input: []byte("\"\ufffe\"")}
	body := encode(t, i)
	for _, r := range string(body) {
		if r < ' ' || r == '\ufffe' || r == '\uffff' {
			t.Errorf("%U in the body %q", r, body)
		}
	}
	got, err := wire.Parse(body)
	if err != nil || got.Instance != i.Instance || got.Reason != "\uffff\ufffe\x00\ufffd" || string(got.Input) != `"\ufffe"` {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestEncodeRefusesItemsThatParseRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		item  wire.Item
		field string
	}{
		"an unknown kind":              {wire.Item{Kind: "Leap", Instance: "i"}, "kind"},
		"a newer version":              {wire.Item{V: 2, Kind: wire.Wake, Instance: "i"}, "v"},
		"no instance":                  {wire.Item{Kind: wire.Wake}, "instance"},
		"an instance not UTF-8":        {wire.Item{Kind: wire.Wake, Instance: "\xff"}, "instance"},
		"a payload that is no JSON":    {wire.Item{Kind: wire.ExternalRaised, Instance: "i", Name: "n", Data: []byte("{")}, "data"},
		"a payload that is not UTF-8":  {wire.Item{Kind: wire.ExternalRaised, Instance: "i", Name: "n", Data: []byte("\"\xff\"")}, "data"},
		"first data that is no JSON":   {wire.Item{Kind: wire.StartOrchestration, Instance: "i", Name: "n", Events: []wire.StartEvent{{Name: "e", Data: []byte("x")}}}, "events[0].data"},
		"failure details not JSON":     {wire.Item{Kind: wire.ActivityFailed, Instance: "i", ExecutionID: 1, SourceEventID: 1, Token: "t", Details: &wire.Failure{Details: []byte("x")}}, "details.details"},
		"a parent instance not UTF-8":  {wire.Item{Kind: wire.StartOrchestration, Instance: "i", Name: "n", Parent: &wire.Parent{Instance: "\xff", ExecutionID: 1, EventID: 1, Token: "t"}}, "parent.instance"},
		"a negative number of a chain": {wire.Item{Kind: wire.Wake, Instance: "i", Number: -1}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := c.item.Encode()
			var parse *wire.ParseError
			if !errors.As(err, &parse) || parse.Field != c.field {
				t.Errorf("got %v, want field %q", err, c.field)
			}
		})
	}
}

func TestAReasonAttributeIsCutAndHasNoInvalidCharacters(t *testing.T) {
	t.Parallel()
	got := wire.ReasonForged.Attribute("line\none\x00\xff" + strings.Repeat("ä", 2000))
	if !strings.HasPrefix(got, "forged: line one \ufffdä") || len(got) > 1024 || !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\n") {
		t.Errorf("got %q", got)
	}
}

func TestUnwrapReturnsTheItemInTheSchedulersEnvelope(t *testing.T) {
	t.Parallel()
	item := string(encode(t, items()[9]))
	quoted, err := json.Marshal(item)
	if err != nil {
		t.Fatal(err)
	}
	envelope := `{"MessageBody":` + string(quoted) + `,"QueueUrl":"https://queue","MessageGroupId":"g"}`
	if got := wire.Unwrap([]byte(envelope)); string(got) != item {
		t.Errorf("got %s", got)
	}
	for _, body := range []string{item, "", "noise", "[]", `{"MessageBody":7}`, `{"kind":"Wake","MessageBody":"x"}`} {
		if got := wire.Unwrap([]byte(body)); string(got) != body {
			t.Errorf("%q became %q", body, got)
		}
	}
}

// Parse reads what Encode writes, for any strings and payloads.
func TestAnyItemRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		payload := func(label string) json.RawMessage {
			v := rapid.SampledFrom([]any{nil, 1.5, "x", []any{"a", 2.0}, map[string]any{"k": "<>&"}}).Draw(t, label)
			p, err := json.MarshalIndent(v, " ", "\t")
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		// Allowed in an id: no control characters and no Unicode line separators.
		text := rapid.StringMatching(`[^\pC\p{Zl}\p{Zp}]{1,20}`)
		want := wire.Item{
			V: 1, Kind: wire.StartOrchestration, Instance: text.Draw(t, "instance"), Name: text.Draw(t, "name"),
			ID: text.Draw(t, "id"), Reason: rapid.String().Draw(t, "reason"), Input: payload("input"),
			Hops: rapid.IntRange(0, 100).Draw(t, "hops"), FirstSeenMS: rapid.Int64Range(0, 253402300799999).Draw(t, "seen"),
			Events: []wire.StartEvent{{Name: text.Draw(t, "event"), Data: payload("data")}},
			Actor:  text.Draw(t, "actor"), FairnessGroup: text.Draw(t, "fairness group"), RequestID: text.Draw(t, "request id"),
			SentMS: rapid.Int64Range(0, 253402300799999).Draw(t, "sent"), StartedAtMS: rapid.Int64Range(0, 253402300799999).Draw(t, "started"),
			Headers: rapid.MapOfN(rapid.StringMatching(`[a-z0-9._-]{1,20}`), text, 0, 4).Draw(t, "headers"),
			Origin:  &history.Origin{Instance: "another " + text.Draw(t, "origin"), ExecutionID: 1, EventID: rapid.Int64Min(1).Draw(t, "origin event")},
			Unknown: map[string]json.RawMessage{"colour " + rapid.String().Draw(t, "unknown"): payload("unknown value")},
		}
		body, err := want.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := wire.Parse(body)
		if err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		if a, b := mustJSON(t, got), mustJSON(t, want); a != b || !reflect.DeepEqual(got.Unknown, want.Unknown) {
			t.Fatalf("got %s %s\nwant %s %s", a, got.Unknown, b, want.Unknown)
		}
	})
}

func mustJSON(t *rapid.T, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
