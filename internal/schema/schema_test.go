package schema_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/internal/schema"
)

type base struct {
	ID      string `json:"id"`
	Version int8   `json:"version,omitempty"`
}

type item struct {
	SKU   string  `json:"sku"`
	Count uint8   `json:"count"`
	Price float32 `json:"price"`
}

type tree struct {
	Name     string  `json:"name"`
	Children []*tree `json:"children,omitempty"`
}

type order struct {
	base
	Items   []item            `json:"items"`
	Gift    *item             `json:"gift"`
	Due     time.Time         `json:"due"`
	Wait    time.Duration     `json:"wait,omitempty"`
	Tags    map[string]string `json:"tags,omitempty"`
	Digest  []byte            `json:"digest,omitempty"`
	Quoted  int64             `json:"quoted,string,omitempty"`
	Addr    netip.Addr        `json:"addr"`
	Sum     *big.Int          `json:"sum,omitempty"`
	Raw     json.RawMessage   `json:"raw,omitempty"`
	Any     any               `json:"any,omitempty"`
	Paid    bool              `json:"paid"`
	Three   [3]int            `json:"three"`
	Tree    tree              `json:"tree"`
	hidden  int
	Skipped chan int `json:"-"`
}

func TestTheSchemaOfATypeDescribesItsJSON(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(schema.Of(reflect.TypeFor[tree]()))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"$ref":"#/$defs/tree","$defs":{"tree":{"title":"schema_test.tree","type":"object",` +
		`"properties":{"name":{"title":"string","type":"string"},"children":{"title":"[]*schema_test.tree","type":["array","null"],"items":{"anyOf":[{"$ref":"#/$defs/tree"},{"type":"null"}]}}},` +
		`"required":["name"],"additionalProperties":false}}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	flat, err := json.Marshal(schema.Of(reflect.TypeFor[item]()))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(flat), `{"title":"schema_test.item","type":"object","properties":{"sku":`) || strings.Contains(string(flat), "$defs") {
		t.Errorf("a type that does not hold itself does not stand at the root: %s", flat)
	}
}

func TestASchemaIsTheSameAfterItWasWrittenAndRead(t *testing.T) {
	t.Parallel()
	for _, of := range types {
		first, err := json.Marshal(schema.Of(of))
		if err != nil {
			t.Fatal(err)
		}
		var read schema.Schema
		if err := json.Unmarshal(first, &read); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(&read)
		if err != nil {
			t.Fatal(err)
		}
		if string(first) != string(again) {
			t.Errorf("%s\nfirst %s\nagain %s", of, first, again)
		}
		if have, want := string(read.Example()), string(schema.Of(of).Example()); have != want {
			t.Errorf("%s: the example is %s, and %s before", of, have, want)
		}
	}
}

func TestAnExampleIsTakenAndNothingIsOddAboutIt(t *testing.T) {
	t.Parallel()
	for _, of := range types {
		s := schema.Of(of)
		example := s.Example()
		for _, p := range s.Check(example) {
			// An address has no empty text.
			if p.Path != "addr" {
				t.Errorf("%s: %s: %s", of, p, example)
			}
		}
	}
	if got := schema.Of(reflect.TypeFor[struct{}]()).Example(); got != nil {
		t.Errorf("the example of what has no fields is %s", got)
	}
}

func TestProblemsOfDataNameTheField(t *testing.T) {
	t.Parallel()
	s := schema.Of(reflect.TypeFor[order]())
	for _, c := range []struct{ data, want string }{
		{`{`, "it is not JSON: unexpected EOF"},
		{`[]`, "it is an array, but the code expects an object (schema_test.order)"},
		{`{"items":[{"sku":1}]}`, "items[0].sku is a number, but the code expects a string (string)"},
		{`{"items":[{"sku":"a","count":300}]}`, "items[0].count is 300, which is outside the range of the code's uint8"},
		{`{"due":"tomorrow"}`, `due is "tomorrow", but the code expects a time, such as 2026-01-02T15:04:05Z`},
		{`{"wait":"5s"}`, "wait is a string, but the code expects a whole number (time.Duration)"},
		{`{"digest":"#"}`, "digest is not base64: illegal base64 data at input byte 0"},
		{`{"quoted":"x"}`, `quoted is "x", but the code expects a number in a string, such as "12"`},
		{`{"tags":{"a":1}}`, "tags.a is a number, but the code expects a string (string)"},
		{`{"three":[1.5]}`, "three[0] is 1.5, but the code expects a whole number (int) without a decimal point or exponent"},
		{`{"tree":{"children":[{"name":true}]}}`, "tree.children[0].name is true or false, but the code expects a string (string)"},
		{`{"item":[]}`, `item is a field that schema_test.order does not have; did you mean "items"?`},
		{`{"ID":"x"}`, `ID is "id" in schema_test.order`},
		{`{"id":null}`, "id is null: the code gets the zero value of a string (string)"},
		{`{}`, "id is missing: the code gets the zero value"},
	} {
		problems := s.Check([]byte(c.data))
		if len(problems) == 0 || problems[0].String() != c.want {
			t.Errorf("%s\ngot  %v\nwant %s", c.data, problems, c.want)
		}
	}
	for _, data := range []string{"", " ", `{"id":"a","items":null,"gift":null,"due":"2026-01-02T15:04:05Z","addr":"::1","paid":true,"three":[],"tree":{"name":""},"any":[{}],"raw":1,"sum":7}`} {
		if problems := s.Check([]byte(data)); len(problems) > 0 {
			t.Errorf("%s: %v", data, problems)
		}
	}
}

func TestAtMostTwentyProblemsAreReportedAndTheWrongOnesFirst(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 30 {
		fmt.Fprintf(&many, `"a%d":1,`, i)
	}
	problems := schema.Of(reflect.TypeFor[item]()).Check([]byte("{" + many.String() + `"sku":1}`))
	if len(problems) != 20 || !problems[0].Wrong || problems[1].Wrong {
		t.Errorf("%d problems, the first %v", len(problems), problems[0])
	}
}

// types of which the schema says all that encoding/json refuses: none with a code of
// its own, other than time.
var types = []reflect.Type{
	reflect.TypeFor[order](), reflect.TypeFor[tree](), reflect.TypeFor[item](), reflect.TypeFor[[]item](), reflect.TypeFor[map[string]*tree](),
	reflect.TypeFor[string](), reflect.TypeFor[int32](), reflect.TypeFor[*uint64](), reflect.TypeFor[float64](), reflect.TypeFor[bool](), reflect.TypeFor[[]byte](),
	reflect.TypeFor[any](), reflect.TypeFor[struct{}](), reflect.TypeFor[time.Time](), reflect.TypeFor[map[string]map[string][]int16](),
}

// What is called wrong is what encoding/json refuses, and nothing else.
func TestWhatIsWrongIsWhatTheTypeCannotDecode(t *testing.T) {
	t.Parallel()
	schemas := make([]*schema.Schema, len(types))
	for i, of := range types {
		schemas[i] = schema.Of(of)
	}
	wrong, right := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.IntRange(0, len(types)-1).Draw(t, "type")
		value := some(t, types[at], 4)
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		problems := schemas[at].Check(data)
		saysWrong := len(problems) > 0 && problems[0].Wrong
		refused := json.Unmarshal(data, reflect.New(types[at]).Interface())
		if saysWrong != (refused != nil) && !strings.Contains(string(data), `"addr":`) && !strings.Contains(string(data), `"sum":`) {
			t.Fatalf("%s of %s: the check says %v, encoding/json %v", data, types[at], problems, refused)
		}
		if saysWrong {
			wrong++
		} else {
			right++
		}
	})
	if wrong == 0 || right == 0 {
		t.Errorf("%d were wrong and %d right: both have to happen", wrong, right)
	}
}

// some draws JSON that most often has the shape of the type.
func some(t *rapid.T, of reflect.Type, depth int) any {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if depth == 0 || rapid.IntRange(0, 15).Draw(t, "other") == 0 {
		return rapid.SampledFrom([]any{nil, true, 1, 1.5, -1, 300, 70000, "", "x", "2026-01-02T15:04:05Z", []any{}, []any{1}, map[string]any{}, map[string]any{"a": 1}}).Draw(t, "value")
	}
	switch {
	case of == reflect.TypeFor[time.Time]():
		return "2026-01-02T15:04:05Z"
	case of == reflect.TypeFor[[]byte]():
		return "AAAA"
	}
	switch of.Kind() {
	case reflect.Struct:
		out := map[string]any{}
		for i := range of.NumField() {
			f := of.Field(i)
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" || name == "" || rapid.Bool().Draw(t, "left out") {
				continue
			}
			if out[name] = some(t, f.Type, depth-1); strings.Contains(options, "string") {
				out[name] = rapid.SampledFrom([]any{"1", "x", 1, nil}).Draw(t, "quoted")
			}
		}
		return out
	case reflect.Slice, reflect.Array:
		out := []any{}
		for range rapid.IntRange(0, 2).Draw(t, "elements") {
			out = append(out, some(t, of.Elem(), depth-1))
		}
		return out
	case reflect.Map:
		return map[string]any{"k": some(t, of.Elem(), depth-1)}
	case reflect.String:
		return "text"
	case reflect.Bool:
		return true
	}
	return rapid.IntRange(-2, 300).Draw(t, "number")
}

type wide struct{ A, B, C, D, E, F, G, H, I, J deep }

type deep struct{ A, B, C, D, E, F, G, H, I, J deeper }

type deeper struct{ A, B, C, D, E, F, G, H, I, J deepest }

type deepest struct {
	A, B, C, D, E, F, G, H, I, J string
}

func TestAnExampleEndsThoughTypesHoldEachOtherManyTimes(t *testing.T) {
	t.Parallel()
	example := schema.Of(reflect.TypeFor[wide]()).Example()
	if !json.Valid(example) || len(example) > 256<<10 {
		t.Errorf("it has %d bytes", len(example))
	}
}
