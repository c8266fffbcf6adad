package history_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/history"
)

func anySearchValue() *rapid.Generator[history.SearchValue] {
	return rapid.Custom(func(t *rapid.T) history.SearchValue {
		switch rapid.IntRange(0, 3).Draw(t, "type") {
		case 0:
			return history.SearchTextOf(rapid.StringN(0, 20, 80).Draw(t, "text"))
		case 1:
			return history.SearchNumberOf(rapid.Int64().Draw(t, "whole"))
		case 2:
			return history.SearchNumberOf(rapid.Float64Range(-1e99, 1e99).Draw(t, "real"))
		}
		return history.SearchMillisOf(rapid.Int64Range(-62135596800000, 253402300799999).Draw(t, "time"))
	})
}

func anySearchAttributes() *rapid.Generator[history.SearchAttributes] {
	return rapid.Custom(func(t *rapid.T) history.SearchAttributes {
		m := rapid.MapOfN(rapid.StringMatching("[a-zA-Z][a-zA-Z0-9_.-]{0,9}"), anySearchValue(), 0, 4).Draw(t, "attributes")
		if len(m) == 0 {
			return nil
		}
		return m
	})
}

func TestSearchValuesOfATypeAreOrderedByValue(t *testing.T) {
	t.Parallel()
	whole, real, text := history.SearchNumberOf[int64], history.SearchNumberOf[float64], history.SearchTextOf
	at := time.Date(2026, 11, 21, 15, 4, 5, 678_999_999, time.FixedZone("", 3600))
	for name, c := range map[string]struct {
		a, b history.SearchValue
		want int
		ok   bool
	}{
		"a whole number that came as a float": {real(2), whole(2), 0, true},
		"minus zero":                          {real(math.Copysign(0, -1)), whole(0), 0, true},
		"beyond what a float64 holds":         {whole(1<<53 + 1), whole(1 << 53), 1, true},
		"a float beside a large whole number": {real(1 << 63), whole(math.MaxInt64), 1, true},
		"a half":                              {real(2.5), whole(2), 1, true},
		"below zero":                          {real(-2.5), whole(-2), -1, true},
		"strings by their bytes":              {text("Z"), text("a"), -1, true},
		"a string and a number":               {text("2"), whole(2), 0, false},
		"a time and a number":                 {history.SearchMillisOf(2), whole(2), 0, false},
		"nothing and nothing":                 {history.SearchValue{}, history.SearchValue{}, 0, false},
		"times are cut to milliseconds":       {history.SearchTimeOf(at), history.SearchTimeOf(at.Truncate(time.Millisecond).UTC()), 0, true},
	} {
		got, ok := c.a.Compare(c.b)
		if got != c.want || ok != c.ok {
			t.Errorf("%s: Compare(%v, %v) = %d, %v", name, c.a, c.b, got, ok)
		}
		if back, _ := c.b.Compare(c.a); back != -c.want {
			t.Errorf("%s: turned around %d", name, back)
		}
		if c.ok && (c.a == c.b) != (c.want == 0) {
			t.Errorf("%s: %v == %v is %v", name, c.a, c.b, c.a == c.b)
		}
	}
}

func TestSearchAttributesOverALimitSayWhichAndByHowMuch(t *testing.T) {
	t.Parallel()
	many := history.SearchAttributes{}
	for i := range 16 + 1 {
		many["a"+strings.Repeat("b", i)] = history.SearchNumberOf(1)
	}
	long := history.SearchAttributes{}
	for i := range 9 {
		long["a"+strings.Repeat("b", i)] = history.SearchTextOf(strings.Repeat("x", 256))
	}
	one := func(name string, v history.SearchValue) history.SearchAttributes {
		return history.SearchAttributes{name: v}
	}
	for name, c := range map[string]struct {
		attributes history.SearchAttributes
		want       string
	}{
		"too many":                    {many, "17 exceed the limit of 16"},
		"too many bytes":              {long, "names and values take 2349 bytes together, more than the limit of 2048"},
		"a long string":               {one("note", history.SearchTextOf(strings.Repeat("x", 257))), `search attribute "note": the string has 257 bytes, more than the limit of 256`},
		"a long name":                 {one(strings.Repeat("n", 65), history.SearchNumberOf(1)), "the name has 65 bytes, more than the limit of 64"},
		"an empty name":               {one("", history.SearchNumberOf(1)), "is empty"},
		"a name with a space":         {one("due date", history.SearchNumberOf(1)), `"due date": a name must start with a letter`},
		"a name that begins with one": {one("1st", history.SearchNumberOf(1)), "a name must start with a letter"},
		"no UTF-8":                    {one("note", history.SearchTextOf("\xff")), "not valid UTF-8"},
		"a control character":         {one("note", history.SearchTextOf("a\nb")), "control character at byte 1"},
		"infinity":                    {one("total", history.SearchNumberOf(math.Inf(1))), "the number +Inf"},
		"not a number":                {one("total", history.SearchNumberOf(math.NaN())), "the number NaN"},
		"a tiny number":               {one("total", history.SearchNumberOf(1e-300)), "the number 1e-300"},
		"a far time":                  {one("due", history.SearchMillisOf(math.MaxInt64)), "outside the years 1 to 9999"},
	} {
		if err := c.attributes.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if err := (history.SearchAttributes{"customer.id-1_x": history.SearchTextOf(strings.Repeat("x", 256)), "gone": {}}).Check(); err != nil {
		t.Errorf("within the limits: %v", err)
	}
}

func TestSearchAttributesKeepTheirTypesInJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := anySearchAttributes().Draw(t, "attributes")
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got history.SearchAttributes
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if got.String() != want.String() || len(got) != len(want) {
			t.Fatalf("%s is read as %s", want, got)
		}
		for name, v := range want {
			if got[name] != v {
				t.Fatalf("%s: %#v is read as %#v", name, v, got[name])
			}
		}
	})
	for _, bad := range []string{`[]`, `{"a":true}`, `{"a":[1]}`, `{"a":{}}`, `{"a":{"time":"soon"}}`, `{"a":1e999}`} {
		var got history.SearchAttributes
		if err := json.Unmarshal([]byte(bad), &got); err == nil {
			t.Errorf("%s is read as %v", bad, got)
		}
	}
}
