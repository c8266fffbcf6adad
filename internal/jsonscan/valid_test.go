package jsonscan

import (
	"encoding/json"
	"strings"
	"testing"
)

var documents = []string{
	``, ` `, `null`, "\t true \r\n", `false`, `tru`, `nul`, `0`, `-0`, `01`, `-`, `1.`, `.5`, `1e`, `1E+3`, `-1.5e-3`, `1 2`,
	`""`, `"`, `"\"`, `"\u00e9\ud83d\ude00"`, `"\x"`, `"\u12g4"`, "\"a\nb\"", "\"\x7f\"", `"longer than sixteen bytes, without escapes"`,
	`{}`, `{ }`, `[]`, `[ ]`, `{"a":1}`, `{"a" : [1, {"b":null} ,"c"] , "d":{}}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `{1:2}`, `[1,]`, `[,1]`, `[1 2]`, `{"a":1]`, `[1}`,
	`{"a":1}}`, `{"a":1} x`, strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1),
	strings.Repeat(`{"a":`, MaxDepth+1) + "1" + strings.Repeat("}", MaxDepth+1), strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth),
}

// FuzzValid holds the scan against encoding/json.
func FuzzValid(f *testing.F) {
	for _, d := range documents {
		f.Add([]byte(d))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, want := Valid(data), json.Valid(data); got != want {
			t.Fatalf("%q: %v, encoding/json says %v", data, got, want)
		}
	})
}

func TestCheckingAllocatesNothing(t *testing.T) {
	data := []byte(`{"order":"order-1","lines":[{"sku":"a\tb","n":2},{"sku":"` + strings.Repeat("x", 100) + `","n":-1.5e3}],"note":null}`)
	if n := testing.AllocsPerRun(100, func() {
		if !Valid(data) {
			t.Fatal("it is valid")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkValid(b *testing.B) {
	data := []byte(`{"v":1,"kind":"ActivityExecute","instance":"order-1","execution_id":1,"scheduling_event_id":3,"name":"Charge",` +
		`"token":"4bd1c8","attempt":2,"scheduled_at_ms":1700000000000,"input":{"order":"order-1","cents":1250}}`)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		Valid(data)
	}
}
