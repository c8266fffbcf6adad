package codec_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/codec/aesgcm"
	"github.com/turnstile-go/turnstile/codec/gzip"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

func key(t *testing.T, id string) codec.Codec {
	t.Helper()
	k, err := aesgcm.New(id, bytes.Repeat([]byte(id[:1]), aesgcm.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return codec.Chain(gzip.New(), k)
}

func set(t *testing.T, current codec.Codec, others ...codec.Codec) *codec.Set {
	t.Helper()
	s, err := codec.NewSet(current, others...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// secret is part of every payload of the samples, and of nothing else.
const secret = "the-secret"

func value(n string) []byte { return []byte(`{"` + n + `":"` + secret + `"}`) }

func sampleTurns() []store.Turn {
	return []store.Turn{{Instance: "i", ExecutionID: 2, Token: "t", Events: []history.Event{
		{Kind: history.OrchestrationStarted, EventID: 1, Name: "O", Payload: value("input"), Start: &history.Start{ExecutionID: 2, Secret: "s", States: value("status")}},
		{Kind: history.ExternalEvent, EventID: 2, Name: "E", Payload: value("data")},
		{Kind: history.TimerCreated, EventID: 3, DurationMS: 5},
	}}, {Instance: "i", ExecutionID: 2, Token: "u", Events: []history.Event{
		{Kind: history.ActivityFailed, EventID: 4, SourceEventID: 3, Failure: &history.Failure{Kind: "application", Message: "no", Details: value("details")}},
		{Kind: history.OrchestrationFailed, EventID: 5, Failure: &history.Failure{Kind: "application", Message: "no"}},
	}}}
}

func sampleItem() wire.Item {
	return wire.Item{V: 1, Kind: wire.StartOrchestration, Instance: "i", Name: "O", Input: value("input"), Data: value("data"), Result: value("result"),
		Events:  []wire.StartEvent{{ID: "1", Name: "E", Data: value("first")}, {Name: "F"}},
		Details: &wire.Failure{Message: "no", Details: value("details")}}
}

func sampleRecord() store.Record {
	return store.Record{Instance: "i", ExecutionID: 1, Name: "O", States: value("status"), Output: value("output"),
		Failure: &history.Failure{Message: "no", Details: value("details")}}
}

// sampleAnswer is an answer with one of the events of sampleTurns.
func sampleAnswer(i int) store.Answer {
	return store.Answer{AnswerKey: store.AnswerKey{Instance: "i", StartID: "s", ID: "u"}, ExecutionID: 2, Event: sampleTurns()[0].Events[i]}
}

// Encoded values contain no part of a payload, decoding restores the original values, and the
// arguments are not modified.
func TestEverythingThatCarriesPayloadsIsEncodedAndDecodedAgain(t *testing.T) {
	t.Parallel()
	s := set(t, key(t, "a"))
	hidden := func(what string, encoded any) {
		t.Helper()
		if text := printed(encoded); strings.Contains(text, secret) {
			t.Errorf("%s shows the payload: %s", what, text)
		}
	}
	same := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", what, printed(got), printed(want))
		}
	}

	turns := sampleTurns()
	encoded, err := s.EncodeTurns(turns)
	if err != nil {
		t.Fatal(err)
	}
	same("the turns that were handed in", turns, sampleTurns())
	hidden("a turn", encoded)
	for i, mark := range []string{"gzip+aesgcm:a", "gzip+aesgcm:a", ""} {
		if got := encoded[0].Events[i].Codec; got != mark {
			t.Errorf("event %d has the mark %q, want %q", i+1, got, mark)
		}
	}
	for i := range encoded {
		if doc := history.Encode(encoded[i].Events); !json.Valid(doc) {
			t.Errorf("sealed events are no JSON document: %s", doc)
		}
	}
	if err := s.DecodeTurns(encoded); err != nil {
		t.Fatal(err)
	}
	same("turns", encoded, sampleTurns())

	for i := range sampleTurns()[0].Events {
		encodedAnswer, err := s.EncodeAnswer(sampleAnswer(i))
		if err != nil {
			t.Fatal(err)
		}
		hidden("an answer", encodedAnswer)
		if want := []string{"gzip+aesgcm:a", "gzip+aesgcm:a", ""}[i]; encodedAnswer.Event.Codec != want {
			t.Errorf("the answer with event %d has the codec %q, want %q", i+1, encodedAnswer.Event.Codec, want)
		}
		stored, err := store.DecodeAnswer(encodedAnswer.AnswerKey, encodedAnswer.ExecutionID, store.EncodeAnswer(&encodedAnswer.Event))
		if err != nil {
			t.Fatal(err)
		}
		encodedAnswer.Event = stored
		decodedAnswer, err := s.DecodeAnswer(encodedAnswer)
		if err != nil {
			t.Fatal(err)
		}
		same("an answer", decodedAnswer, sampleAnswer(i))
	}

	item := sampleItem()
	encodedItem, err := s.EncodeItem(item)
	if err != nil {
		t.Fatal(err)
	}
	same("the item that was handed in", item, sampleItem())
	hidden("an item", encodedItem)
	body, err := encodedItem.Encode()
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := wire.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.EncodeItem(parsed)
	if err != nil {
		t.Fatal(err)
	}
	same("an item sealed twice", again, parsed)
	opened, err := s.DecodeItem(parsed)
	if err != nil {
		t.Fatal(err)
	}
	same("an item", opened, sampleItem())

	record := sampleRecord()
	create, err := s.EncodeChange("i", &store.RecordChange{Create: &record})
	if err != nil {
		t.Fatal(err)
	}
	same("the record that was handed in", record, sampleRecord())
	stored := create.Apply(store.Record{})
	hidden("a record", stored)
	if err := s.DecodeRecord(&stored); err != nil {
		t.Fatal(err)
	}
	same("a record", stored, sampleRecord())

	status, output, failure := value("status"), value("output"), &history.Failure{Message: "no", Details: value("details")}
	change, err := s.EncodeChange("i", &store.RecordChange{States: &status, Output: &output, Failure: &failure})
	if err != nil {
		t.Fatal(err)
	}
	stored = change.Apply(store.Record{Instance: "i", ExecutionID: 1, Name: "O"})
	hidden("a changed record", stored)
	if err := s.DecodeRecord(&stored); err != nil {
		t.Fatal(err)
	}
	same("a changed record", stored, sampleRecord())

	at := store.ActivityKey{Instance: "i", ExecutionID: 1, EventID: 2}
	beat := store.Heartbeat{Attempt: 1, Details: value("details")}
	encodedBeat, err := s.EncodeHeartbeat(at, beat)
	if err != nil {
		t.Fatal(err)
	}
	hidden("a heartbeat", encodedBeat)
	openedBeat, err := s.DecodeHeartbeat(at, encodedBeat)
	if err != nil {
		t.Fatal(err)
	}
	same("a heartbeat", openedBeat, beat)
}

// printed shows byte slices as text.
func printed(v any) string {
	var b strings.Builder
	walk(reflect.ValueOf(v), &b)
	return b.String()
}

func walk(v reflect.Value, b *strings.Builder) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem(), b)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walk(v.Field(i), b)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			b.Write(v.Bytes())
			b.WriteByte(' ')
			return
		}
		for i := range v.Len() {
			walk(v.Index(i), b)
		}
	case reflect.String:
		b.WriteString(v.String() + " ")
	}
}

func TestASetDecodesWhatItsOlderCodecsEncodedAndWhatIsNotEncoded(t *testing.T) {
	t.Parallel()
	before, now := key(t, "a"), key(t, "b")
	for _, c := range []struct {
		name          string
		writes, reads *codec.Set
	}{
		{"an old key is read after the new one came", set(t, before), set(t, now, before)},
		{"a new key is read before it writes", set(t, now), set(t, before, now)},
		{"plain is read after a codec came", nil, set(t, now)},
		{"a codec is read after it no longer writes", set(t, now), set(t, nil, now)},
	} {
		encoded, err := c.writes.EncodeTurns(sampleTurns())
		if err != nil {
			t.Fatal(err)
		}
		if err := c.reads.DecodeTurns(encoded); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		answer, err := c.writes.EncodeAnswer(sampleAnswer(0))
		if err != nil {
			t.Fatal(err)
		}
		if answer, err = c.reads.DecodeAnswer(answer); err != nil || !reflect.DeepEqual(answer, sampleAnswer(0)) {
			t.Errorf("%s: the answer is %s, %v", c.name, printed(answer), err)
		}
		if !reflect.DeepEqual(encoded, sampleTurns()) {
			t.Errorf("%s: got %s", c.name, printed(encoded))
		}
	}
}

func TestEncodedPayloadsMayHaveJSONEscapes(t *testing.T) {
	t.Parallel()
	s := set(t, key(t, "a"))
	item, err := s.EncodeItem(wire.Item{V: 1, Kind: wire.ExternalRaised, Instance: "i", Name: "E", Data: value("data")})
	if err != nil {
		t.Fatal(err)
	}
	text := string(item.Data)
	item.Data = []byte(`"\u00` + hex.EncodeToString([]byte(text[1:2])) + strings.ReplaceAll(text[2:], "/", `\/`))
	opened, err := s.DecodeItem(item)
	if err != nil || !bytes.Equal(opened.Data, value("data")) {
		t.Errorf("%s opens as %s, %v", item.Data, opened.Data, err)
	}
}

func TestAnUnknownCodecIsATypedErrorThatSaysWhatToDo(t *testing.T) {
	t.Parallel()
	a, b := set(t, key(t, "a")), set(t, key(t, "b"))
	turns, _ := a.EncodeTurns(sampleTurns())
	item, _ := a.EncodeItem(sampleItem())
	record := sampleRecord()
	create, _ := a.EncodeChange("i", &store.RecordChange{Create: &record})
	answer, _ := a.EncodeAnswer(sampleAnswer(0))
	at := store.ActivityKey{Instance: "i", ExecutionID: 1, EventID: 2}
	beat, _ := a.EncodeHeartbeat(at, store.Heartbeat{Attempt: 1, Details: value("details")})
	for name, s := range map[string]*codec.Set{"another key": b, "no codec at all": nil} {
		_, itemErr := s.DecodeItem(item)
		_, beatErr := s.DecodeHeartbeat(at, beat)
		_, answerErr := s.DecodeAnswer(answer)
		if answerErr != nil && !strings.Contains(answerErr.Error(), `update "u"`) {
			t.Errorf("an answer, %s: %v", name, answerErr)
		}
		for what, err := range map[string]error{"answer": answerErr, "turns": s.DecodeTurns(turns), "item": itemErr, "record": s.DecodeRecord(create.Create), "heartbeat": beatErr} {
			unknown, ok := errors.AsType[*codec.UnknownError](err)
			if !ok || unknown.Codec != "gzip+aesgcm:a" || !strings.Contains(unknown.Where, `instance "i"`) || !strings.Contains(err.Error(), "deploy it") {
				t.Errorf("%s, %s: %v", what, name, err)
			}
		}
		if got := s.OpenWhatItCan("i", 2, turns[0].Events); got[0].Codec != "gzip+aesgcm:a" {
			t.Errorf("%s: an event that can't be opened has lost its mark", name)
		}
	}
}

func TestADamagedPayloadIsATypedError(t *testing.T) {
	t.Parallel()
	s := set(t, key(t, "a"))
	for name, damage := range map[string]func(p []byte) []byte{
		"a changed byte":      func(p []byte) []byte { p[20] ^= 1; return p },
		"a plain value":       func([]byte) []byte { return value("input") },
		"null":                func([]byte) []byte { return []byte("null") },
		"an empty string":     func([]byte) []byte { return []byte(`""`) },
		"a part of the value": func(p []byte) []byte { return append(p[:41:41], '"') },
	} {
		turns, _ := s.EncodeTurns(sampleTurns())
		turns[0].Events[1].Payload = damage(bytes.Clone(turns[0].Events[1].Payload))
		err := s.DecodeTurns(turns)
		corrupt, ok := errors.AsType[*store.CorruptError](err)
		if !ok || corrupt.EventID != 2 || corrupt.Instance != "i" || corrupt.ExecutionID != 2 {
			t.Errorf("%s in a history: %v", name, err)
		}
		answer, _ := s.EncodeAnswer(sampleAnswer(1))
		answer.Event.Payload = damage(bytes.Clone(answer.Event.Payload))
		_, err = s.DecodeAnswer(answer)
		corrupt, ok = errors.AsType[*store.CorruptError](err)
		if !ok || corrupt.EventID != 2 || corrupt.Instance != "i" || corrupt.ExecutionID != 2 || !strings.Contains(err.Error(), `update "u"`) {
			t.Errorf("%s in an answer: %v", name, err)
		}
		item, _ := s.EncodeItem(sampleItem())
		item.Events[0].Data = damage(bytes.Clone(item.Events[0].Data))
		_, err = s.DecodeItem(item)
		if damaged, ok := errors.AsType[*codec.DamagedError](err); !ok || damaged.Codec != "gzip+aesgcm:a" || !strings.Contains(damaged.Where, `instance "i"`) {
			t.Errorf("%s in an item: %v", name, err)
		}
	}
}

func TestInvalidSetsAreRejected(t *testing.T) {
	t.Parallel()
	for name, codecs := range map[string][]codec.Codec{
		"a nil codec":                   {key(t, "a"), nil},
		"two codecs of a name":          {key(t, "a"), key(t, "a")},
		"an empty name":                 {named("")},
		"a control character":           {named("a\n")},
		"a name of 257 bytes":           {named(strings.Repeat("n", 257))},
		"a name that is kept for blobs": {named("blob:mine")},
	} {
		if _, err := codec.NewSet(codecs[0], codecs[1:]...); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestAFailingCodecEncodesNothing(t *testing.T) {
	t.Parallel()
	s := set(t, named("broken"))
	if _, err := s.EncodeTurns(sampleTurns()); !isEncodeError(err) {
		t.Errorf("turns: %v", err)
	}
	if _, err := s.EncodeAnswer(sampleAnswer(0)); !isEncodeError(err) || !strings.Contains(err.Error(), `update "u"`) {
		t.Errorf("answer: %v", err)
	}
	if _, err := s.EncodeItem(sampleItem()); !isEncodeError(err) {
		t.Errorf("item: %v", err)
	}
}

func isEncodeError(err error) bool {
	e, ok := errors.AsType[*codec.EncodeError](err)
	return ok && e.Codec == "broken" && strings.Contains(e.Where, `instance "i"`)
}

// named is a codec that has a name and cannot encode.
type named string

func (n named) Name() string                { return string(n) }
func (named) Encode([]byte) ([]byte, error) { return nil, errors.New("no key today") }
func (named) Decode([]byte) ([]byte, error) { return nil, errors.New("no key today") }
