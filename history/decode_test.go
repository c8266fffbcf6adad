package history_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/history"
)

// one is a document with one event; the argument has its fields after event_id.
func one(fields string) string { return `{"v":1,"events":[{"event_id":7,` + fields + `}]}` }

func TestTheErrorForADamagedDocumentNamesTheOffset(t *testing.T) {
	t.Parallel()
	fired := func(fields string) string { return one(`"kind":"TimerFired","at_ms":1` + fields) }
	for name, c := range map[string]struct {
		data    string
		eventID int64
		says    string
	}{
		"an empty document":               {``, 0, "ends too early"},
		"white space":                     {` `, 0, "ends too early"},
		"another JSON value":              {`[]`, 0, "expected an object"},
		"null":                            {`null`, 0, "expected an object"},
		"no version":                      {`{"events":[]}`, 0, `no version "v"`},
		"no events":                       {`{"v":1}`, 0, `no "events"`},
		"version 0":                       {`{"v":0,"events":[]}`, 0, "below 1"},
		"version null":                    {`{"v":null,"events":[]}`, 0, "whole number"},
		"a version twice":                 {`{"v":1,"events":[],"v":1}`, 0, "given twice"},
		"events twice":                    {`{"v":1,"events":[],"events":[]}`, 0, "given twice"},
		"events null":                     {`{"v":1,"events":null}`, 0, "expected an array"},
		"an event that is no object":      {`{"v":1,"events":[1]}`, 0, "expected an object"},
		"a comma too many":                {`{"v":1,"events":[{"event_id":1,"kind":"TimerFired"},]}`, 0, "expected an object"},
		"a comma too few":                 {`{"v":1,"events":[{"event_id":1,"kind":"TimerFired"}{}]}`, 0, "not JSON"},
		"trailing data":                   {`{"v":1,"events":[]}x`, 0, "data after the end"},
		"cut off before the end":          {`{"v":1,"events":[]`, 0, "ends too early"},
		"cut off behind an event":         {`{"v":1,"events":[{"event_id":1,"kind":"TimerFired"}`, 0, "ends too early"},
		"cut off in an event":             {`{"v":1,"events":[{"event_id":7,"kind":"TimerFired"`, 7, "ends too early"},
		"cut off in a payload":            {`{"v":1,"events":[{"event_id":7,"kind":"ExternalEvent","data":{"a":"b`, 7, "ends too early"},
		"not UTF-8":                       {one("\"kind\":\"TimerFired\",\"colour\":\"\xff\""), 0, "not UTF-8"},
		"no event_id":                     {`{"v":1,"events":[{"kind":"TimerFired"}]}`, 0, `no "event_id"`},
		"no kind":                         {one(`"at_ms":1`), 7, `no "kind"`},
		"an empty event":                  {`{"v":1,"events":[{}]}`, 0, `no "kind"`},
		"event_id 0":                      {`{"v":1,"events":[{"event_id":0,"kind":"TimerFired"}]}`, 0, "below 1"},
		"event_id below 0":                {`{"v":1,"events":[{"event_id":-1,"kind":"TimerFired"}]}`, 0, "below 1"},
		"event_id in quotes":              {`{"v":1,"events":[{"event_id":"1","kind":"TimerFired"}]}`, 0, "whole number"},
		"event_id with a fraction":        {`{"v":1,"events":[{"event_id":1.0,"kind":"TimerFired"}]}`, 0, "without a fraction"},
		"event_id with an exponent":       {`{"v":1,"events":[{"event_id":1e0,"kind":"TimerFired"}]}`, 0, "without a fraction"},
		"event_id with a leading zero":    {`{"v":1,"events":[{"event_id":01,"kind":"TimerFired"}]}`, 0, "whole number"},
		"event_id over 64 bits":           {`{"v":1,"events":[{"event_id":9223372036854775808,"kind":"TimerFired"}]}`, 0, "out of range"},
		"event_id of 30 digits":           {`{"v":1,"events":[{"event_id":100000000000000000000000000000,"kind":"TimerFired"}]}`, 0, "out of range"},
		"a time under 64 bits":            {fired(`,"fire_at_ms":-9223372036854775809`), 7, "out of range"},
		"event_id twice":                  {fired(`,"event_id":7`), 7, "given twice"},
		"a kind twice":                    {fired(`,"kind":"TimerFired"`), 7, "given twice"},
		"a kind that is no string":        {one(`"kind":7`), 7, "expected a string"},
		"a field twice":                   {fired(`,"source_event_id":1,"source_event_id":1`), 7, "given twice"},
		"a field twice, once escaped":     {fired(`,"source_event_id":1,"\u0073ource_event_id":1`), 7, "given twice"},
		"a field as text and base64":      {fired(`,"name":"a","name_base64":"YQ=="`), 7, "given twice"},
		"a payload twice":                 {one(`"kind":"ExternalEvent","data":1,"data_base64":"YQ=="`), 7, "given twice"},
		"source_event_id 0":               {fired(`,"source_event_id":0`), 7, "below 1"},
		"a text that is null":             {fired(`,"name":null`), 7, "expected a string"},
		"a text that is a number":         {fired(`,"name":1`), 7, "expected a string"},
		"a number that is a text":         {fired(`,"fire_at_ms":"1"`), 7, "whole number"},
		"a number that is a minus":        {fired(`,"fire_at_ms":-`), 7, "whole number"},
		"a flag that is a number":         {fired(`,"inline":1`), 7, "true or false"},
		"a flag that is null":             {fired(`,"inline":null`), 7, "true or false"},
		"a retry that is a number":        {fired(`,"retry":1`), 7, "expected an object"},
		"a retry twice":                   {fired(`,"retry":{},"retry":{}`), 7, "given twice"},
		"a coefficient that is a text":    {fired(`,"retry":{"coefficient":"2"}`), 7, "expected a number"},
		"a coefficient out of range":      {fired(`,"retry":{"coefficient":1e999}`), 7, "out of range"},
		"a field twice in a retry":        {fired(`,"retry":{"max_ms":1,"max_ms":1}`), 7, "given twice"},
		"final codes that are no list":    {fired(`,"retry":{"final_codes":"a"}`), 7, "expected an array"},
		"final codes that are no strings": {fired(`,"retry":{"final_codes":["a",1]}`), 7, "expected a string"},
		"final codes without an end":      {fired(`,"retry":{"final_codes":["a"}`), 7, "not JSON"},
		"details that are a text":         {fired(`,"details":"x"`), 7, "expected an object"},
		"a field twice in details":        {fired(`,"details":{"message":"a","message":"a"}`), 7, "given twice"},
		"base64 that is none":             {fired(`,"name_base64":"!"`), 7, "not base64"},
		"base64 with spare bits":          {fired(`,"name_base64":"YR=="`), 7, "not base64"},
		"base64 without padding":          {fired(`,"name_base64":"YQ"`), 7, "not base64"},
		"base64 that is a number":         {one(`"kind":"ExternalEvent","data_base64":1`), 7, "expected a string"},
		"an escape that JSON lacks":       {fired(`,"name":"\x41"`), 7, "an escape"},
		"an escape cut short":             {fired(`,"name":"\u00"`), 7, "an escape"},
		"a control character in a text":   {fired(",\"name\":\"a\nb\""), 7, "control character"},
		"half a surrogate pair":           {fired(`,"name":"a\ud800b"`), 7, "unpaired surrogate"},
		"a low surrogate first":           {fired(`,"name":"\udc00\ud800"`), 7, "unpaired surrogate"},
		"half a pair at the end":          {fired(`,"name":"\ud800"`), 7, "unpaired surrogate"},
		"a payload that is no JSON":       {one(`"kind":"ExternalEvent","data":{a:1}`), 7, "not JSON"},
		"a payload with a bare word":      {one(`"kind":"ExternalEvent","data":nul`), 7, "not JSON"},
		"a payload with a bad number":     {one(`"kind":"ExternalEvent","data":[1.]`), 7, "not JSON"},
		"a payload with a bad bracket":    {one(`"kind":"ExternalEvent","data":[1}`), 7, "not JSON"},
		"a payload left out":              {one(`"kind":"ExternalEvent","data":`), 7, "not JSON"},
		"an unknown field that is broken": {fired(`,"colour":[1,`), 7, "not JSON"},
		"a key without quotes":            {fired(`,colour:1`), 7, "not JSON"},
		"a key without a colon":           {fired(`,"colour" 1`), 7, "not JSON"},
		"a comma at the end":              {fired(`,`), 7, "not JSON"},
		"brackets without end":            {one(`"kind":"ExternalEvent","data":` + strings.Repeat("[", 1<<20)), 7, "nested more than 1024"},
		"braces without end":              {one(`"kind":"TimerFired","colour":` + strings.Repeat(`{"a":`, 1<<20)), 7, "nested more than 1024"},
		"a document that is all brackets": {strings.Repeat("[", 1<<20), 0, "expected an object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := []history.Event{{EventID: 6}}
			got, err := history.DecodeAppend(before, []byte(c.data))
			var damage *history.DecodeError
			if !errors.As(err, &damage) {
				t.Fatalf("got %v, want a *DecodeError", err)
			}
			if damage.EventID != c.eventID || !strings.Contains(damage.Reason, c.says) {
				t.Errorf("got %v (event %d), want event %d, saying %q", err, damage.EventID, c.eventID, c.says)
			}
			if damage.Offset < 0 || damage.Offset > len(c.data) {
				t.Errorf("offset %d of %d", damage.Offset, len(c.data))
			}
			if len(got) != 1 {
				t.Errorf("%d events are returned with the error", len(got))
			}
		})
	}
}

// Every byte of a document counts: a document truncated anywhere is rejected.
func TestACutDocumentIsRefusedWhereverItIsCut(t *testing.T) {
	t.Parallel()
	data := history.Encode(samples())
	for n := range data {
		var damage *history.DecodeError
		if _, err := history.Decode(data[:n]); !errors.As(err, &damage) {
			t.Fatalf("cut after %d bytes: %v", n, err)
		}
	}
}

func TestV06UnknownFieldsAreIgnoredAndAbsentOnesAreZero(t *testing.T) {
	t.Parallel()
	data := ` { "events" : [ {"colour":"red","event_id_base64":1,"at_ms_base64":{},"kind":"TimerFired","event_id":2,"fire_at_ms":-0,
		"data":"not a timer's","execution_id":"not a timer's","retry":{"colour":[{}],"max_ms_base64":1},"details":{"attempt_base64":1,"hue":null}} ] ,
		"colour":{"v":2,"events":[{}]},"v":1} `
	got, err := history.Decode([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	want := []history.Event{{Kind: history.TimerFired, EventID: 2, Retry: &history.Retry{}, Failure: &history.Failure{}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}

	got, err = history.Decode([]byte(`{"v":1,"events":[{"event_id":1,"kind":"OrchestrationStarted"}],"next":null}`))
	if err != nil {
		t.Fatal(err)
	}
	want = []history.Event{{Kind: history.OrchestrationStarted, EventID: 1, Start: &history.Start{}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestADocumentOfANewerBuildIsNotReportedAsDamage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data string
		says []string
	}{
		"a newer document":                   {`{"v":2,"happenings":[]}`, []string{"version 2", "up to 1"}},
		"a newer document, version last":     {`{"events":[{"event_id":"a"}],"v":3}`, []string{"version 3"}},
		"an unknown kind":                    {one(`"kind":"PatchMarked","at_ms":1,"name":{"new":"shape"}`), []string{"event 7", `"PatchMarked"`}},
		"an unknown kind, id and kind last":  {`{"v":1,"events":[{"name":7,"kind":"PatchMarked","event_id":7}]}`, []string{"event 7", `"PatchMarked"`}},
		"a kind in the wrong case":           {one(`"kind":"timerfired"`), []string{"event 7", `"timerfired"`}},
		"the kind that stands for none":      {one(`"kind":"Unknown"`), []string{`"Unknown"`}},
		"an empty kind":                      {one(`"kind":""`), []string{`""`}},
		"a kind with an escape":              {one(`"kind":"Patch\u004darked"`), []string{`"PatchMarked"`}},
		"an unknown kind before damage":      {`{"v":1,"events":[{"event_id":1,"kind":"PatchMarked"},{]}`, []string{"event 1"}},
		"a kind of a megabyte":               {one(`"kind":"` + strings.Repeat("k", 1<<20) + `"`), []string{"event 7"}},
		"an unknown kind behind known kinds": {`{"v":1,"events":[{"event_id":1,"kind":"TimerFired"},{"event_id":2,"kind":"X"}]}`, []string{"event 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := history.Decode([]byte(c.data))
			if !errors.Is(err, history.ErrNewer) {
				t.Fatalf("got %v, want ErrNewer", err)
			}
			for _, s := range append(c.says, "newer build") {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("%q does not say %s", err, s)
				}
			}
			if len(err.Error()) > 300 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

func TestDecodeAppendKeepsEarlierEvents(t *testing.T) {
	t.Parallel()
	all := samples()
	first, rest := history.Encode(all[:3]), history.Encode(all[3:])
	got, err := history.Decode(first)
	if err != nil {
		t.Fatal(err)
	}
	if got, err = history.DecodeAppend(got, rest); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, all) {
		t.Errorf("got %+v, want %+v", got, all)
	}
}

func TestPayloadsAliasTheDocumentAndCannotGrowIntoIt(t *testing.T) {
	t.Parallel()
	data := []byte(one(`"kind":"ExternalEvent","data":"abc","name":"n"`))
	got, err := history.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	payload := got[0].Payload
	if grown := append(payload, "xyz"...); string(grown) != `"abc"xyz` || !strings.Contains(string(data), `"abc","name"`) {
		t.Error("appending to a payload wrote into the document")
	}
	data[strings.Index(string(data), "abc")] = 'X'
	if string(payload) != `"Xbc"` {
		t.Errorf("the payload is a copy: %s", payload)
	}
}

func TestADeepPayloadIsKeptAsBase64(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{1024, 1025, 100_000} {
		payload := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		data := history.Encode([]history.Event{{EventID: 1, Kind: history.ExternalEvent, Payload: []byte(payload)}})
		if plain := strings.Contains(string(data), "[["); plain != (depth <= 1024) {
			t.Errorf("depth %d: plain is %v", depth, plain)
		}
		got, err := history.Decode(data)
		if err != nil || string(got[0].Payload) != payload {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}

func TestDecodingAllocatesLessThanOncePerEvent(t *testing.T) {
	events := chain(1000)
	data := history.Encode(events)
	allocs := testing.AllocsPerRun(5, func() {
		if _, err := history.Decode(data); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > float64(len(events))/10 {
		t.Errorf("%.0f allocations for %d events", allocs, len(events))
	}
}

func TestAnExportLeavesOutSecretsAndTokens(t *testing.T) {
	t.Parallel()
	want := history.Export{Instance: "order-1", ExecutionID: 3, Events: samples(), Turns: []history.ExportTurn{
		{Last: 2, Messaged: true}, {Last: 7, Parked: true, Cancelled: []int64{4, 2}}, {Last: int64(len(samples()))},
	}}
	data := history.EncodeExport(want)
	if *update {
		if err := os.WriteFile(filepath.Join("testdata", "export.json"), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(filepath.Join("testdata", "export.json"))
	if err != nil || string(golden) != string(data) {
		t.Errorf("export changed (%v):\n%s", err, data)
	}
	if !json.Valid(data) {
		t.Errorf("not JSON: %s", data)
	}
	start := want.Events[0].Start
	for _, secret := range []string{start.Secret, start.Parent.Token} {
		if secret == "" || strings.Contains(string(data), secret) {
			t.Errorf("the export holds %q", secret)
		}
	}
	got, err := history.DecodeExport(data)
	if err != nil {
		t.Fatal(err)
	}
	want.Events = samples()
	if !reflect.DeepEqual(start, want.Events[0].Start) {
		t.Error("exporting changed the events")
	}
	want.Events[0].Start.Secret, want.Events[0].Start.Parent.Token, want.Events[20].Start.Parent.Token = "", "", ""
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	events, err := history.Decode(data)
	if err != nil || !reflect.DeepEqual(events, want.Events) {
		t.Errorf("an export is no history document: %v", err)
	}
	if x, err := history.DecodeExport(history.Encode(samples()[:2])); err != nil || x.Instance != "" || len(x.Events) != 2 {
		t.Errorf("a history document is no export: %+v, %v", x, err)
	}
	if _, err := history.DecodeExport([]byte(`{"v":1,"execution_id":"1","events":[]}`)); err == nil {
		t.Error("an execution that is no number is taken")
	}
	for _, turns := range []string{`null`, `{}`, `[1]`, `[{"last":"1"}]`, `[{}]`, `[{"last":2},{"last":2}]`, `[{"last":1}],"turns":[]`, `[{"last":1.5}]`, `[`} {
		data := `{"v":1,"turns":` + turns + `,"events":[{"event_id":1,"kind":"TimerFired"}]}`
		if x, err := history.DecodeExport([]byte(data)); !errors.As(err, new(*history.DecodeError)) {
			t.Errorf("%s is taken as %+v, %v", data, x.Turns, err)
		}
	}
}

// FuzzDecode looks for documents that crash the decoder, that it accepts although
// encoding/json does not, or that it cannot encode again.
func FuzzDecode(f *testing.F) {
	f.Add(history.Encode(samples()))
	for _, e := range samples() {
		f.Add(history.Encode([]history.Event{e}))
	}
	f.Add(history.EncodeExport(history.Export{Instance: "i", ExecutionID: 1, Events: samples()[:1]}))
	f.Add(history.EncodeExport(history.Export{Events: samples()[:1], Turns: []history.ExportTurn{{Last: 1, Cancelled: []int64{1}}}}))
	f.Add([]byte(`{"events":[{"kind":"T\u0069merFired","event_id":1,"name":"\ud83d\ude00","colour":[{}]}],"v":1}`))
	f.Add([]byte(one(`"kind":"PatchMarked"`)))
	f.Add([]byte(`{"v":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		export, exportErr := history.DecodeExport(data)
		events, err := history.Decode(data)
		if err != nil {
			var damage *history.DecodeError
			if !errors.As(err, &damage) && !errors.Is(err, history.ErrNewer) {
				t.Fatalf("%v is neither damage nor newer", err)
			}
			if exportErr == nil {
				t.Fatalf("an export, but no history: %v", err)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%q is not JSON", data)
		}
		if exportErr == nil && !reflect.DeepEqual(events, export.Events) {
			t.Fatalf("the export has other events: %q", data)
		}
		again := history.Encode(events)
		back, err := history.Decode(again)
		if err != nil {
			t.Fatalf("%v in %q, from %q", err, again, data)
		}
		if third := history.Encode(back); string(third) != string(again) {
			t.Fatalf("%q became %q", again, third)
		}
	})
}
