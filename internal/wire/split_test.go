package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzSplit compares split with encoding/json: both must accept the same bodies, with the
// same fields in the same bytes.
func FuzzSplit(f *testing.F) {
	for _, body := range []string{
		`{}`, " { } ", `{"a":1}`, "\n{\t\"a\" :\r[1 , {\"b\":\"]}\\\"\"}, -1.5e3 ] ,\"\\u0061b\": null ,\"\":true}",
		`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":"\\"}`, `{"a":1}}`, `{"a":1} 2`, `{"a"}`, `{"a":1,}`, `[1]`, `null`, `{`, ``, many(40),
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if !utf8.Valid(body) {
			return // Parse refuses it ahead of this.
		}
		got, err := split(body, new([16]field))
		var want map[string]json.RawMessage
		isObject := json.Unmarshal(body, &want) == nil && want != nil
		if err != nil {
			if isObject && !strings.Contains(err.Error(), "twice") {
				t.Fatalf("%q is an object, and refused: %v", body, err)
			}
			return
		}
		if !isObject || len(got.list) != len(want) {
			t.Fatalf("%q has the fields %q, found are %v", body, want, got.list)
		}
		for name, value := range want {
			if !bytes.Equal(rawOf(&got, name), value) {
				t.Fatalf("field %q of %q is %s, found is %s", name, body, value, rawOf(&got, name))
			}
		}
	})
}

// many returns an object with n fields.
func many(n int) string {
	b := []byte(`{"v":1,"kind":"ExternalRaised","instance":"i","name":"n"`)
	for i := range n {
		b = fmt.Appendf(b, `,"more%d":%d`, i, i)
	}
	return string(b) + "}"
}

func TestABodyMayHaveAnyNumberOfDistinctFields(t *testing.T) {
	t.Parallel()
	for _, n := range []int{few - 4, few - 3, 1000} {
		f, err := split([]byte(many(n)), new([16]field))
		if err != nil || len(f.list) != n+4 || string(rawOf(&f, "v")) != "1" || string(rawOf(&f, fmt.Sprint("more", n-1))) != fmt.Sprint(n-1) || rawOf(&f, "more") != nil {
			t.Errorf("of %d fields came %v, %v", n+4, f.list, err)
		}
		for _, name := range []string{"name", fmt.Sprint("more", n-1)} {
			twice := strings.TrimSuffix(many(n), "}") + fmt.Sprintf(`,%q:null}`, name)
			if _, err := split([]byte(twice), new([16]field)); err == nil || !strings.Contains(err.Error(), "given twice") {
				t.Errorf("field %q given twice among %d: %v", name, n+4, err)
			}
		}
	}
}

func TestAPayloadMayNestDeeperThanTheScannerSupports(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	body := `{"v":1,"kind":"ExternalRaised","instance":"i","data": ` + deep + ` ,"name":"n"}`
	item, err := Parse([]byte(body))
	if err != nil || string(item.Data) != deep || item.Name != "n" {
		t.Fatalf("it is refused, or its fields are others: %v", err)
	}
	if again, err := item.Encode(); err != nil || !strings.Contains(string(again), deep) {
		t.Errorf("it can't be sent again: %v", err)
	}
	if _, err := Parse([]byte(strings.Replace(body, "]]", "]}", 1))); err == nil {
		t.Error("one that is not closed is taken")
	}
}

func BenchmarkParse(b *testing.B) {
	body := []byte(`{"v":1,"kind":"ActivityExecute","instance":"order-1","execution_id":1,"scheduling_event_id":3,"name":"Charge",` +
		`"token":"4bd1c8","attempt":2,"scheduled_at_ms":1700000000000,"input":{"order":"order-1","cents":1250}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(body); err != nil {
			b.Fatal(err)
		}
	}
}

// rawOf returns the bytes of a field; nil if there is none with this name.
func rawOf(f *fields, name string) json.RawMessage {
	if one := f.get(name); one != nil {
		return one.raw
	}
	return nil
}
