package turnstile

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// spelled has a pointer method, which the standard library does not call for a value that is not
// addressable.
type spelled struct{ Word string }

func (s *spelled) MarshalJSON() ([]byte, error) { return json.Marshal(strings.ToUpper(s.Word)) }

// byValue has a value method.
type byValue struct{ Word string }

func (n byValue) MarshalText() ([]byte, error) { return []byte("<" + n.Word + ">"), nil }

type parcel struct {
	Name   string `json:"name"`
	Weight float64
	Tags   []string          `json:"tags,omitempty"`
	Notes  map[string]string `json:",omitempty"`
	Inside *parcel           `json:",omitempty"`
	Any    any
	Raw    json.RawMessage `json:",omitempty"`
	Bytes  []byte
	At     time.Time
	Took   time.Duration
	Count  int `json:",string"`
	Named  byValue
	hidden int
}

func TestReusedBuffersHoldTheBytesOfJSONMarshal(t *testing.T) {
	t.Parallel()
	same := func(name string, write func() (lent, error), value any) {
		t.Helper()
		want, errWant := json.Marshal(value)
		got, err := write()
		if (err != nil) != (errWant != nil) || !bytes.Equal(got.data, want) {
			t.Errorf("%s: written as %s, %v; json.Marshal says %s, %v", name, got.data, err, want, errWant)
		}
		if err == nil {
			got.giveBack()
		}
	}
	one := parcel{Name: "<é\u2028&\xff>", Weight: 1e21, Tags: []string{"a"}, Notes: map[string]string{"z": "1", "a": "2"}, Inside: &parcel{},
		Any: map[string]any{"b": 1.5, "a": nil}, Raw: json.RawMessage(`{"x": 1}`), Bytes: []byte{1, 2}, Took: time.Second, Named: byValue{"n"}, hidden: 1}
	for range 2 { // The second time in a reused buffer.
		same("a struct", func() (lent, error) { return written(one) }, one)
		same("nothing", func() (lent, error) { return written(any(nil)) }, nil)
		same("a nil pointer", func() (lent, error) { return written((*parcel)(nil)) }, (*parcel)(nil))
		same("a number", func() (lent, error) { return written(7) }, 7)
		same("not a number", func() (lent, error) { return written(math.NaN()) }, math.NaN())
		same("a method of the value", func() (lent, error) { return written(byValue{"n"}) }, byValue{"n"})
		same("a method of the pointer", func() (lent, error) { return written(spelled{"n"}) }, spelled{"n"})
		same("one inside", func() (lent, error) { return written(struct{ In spelled }{spelled{"n"}}) }, struct{ In spelled }{spelled{"n"}})
		same("one in an array", func() (lent, error) { return written([1]spelled{{"n"}}) }, [1]spelled{{"n"}})
		same("one in a slice", func() (lent, error) { return written([]spelled{{"n"}}) }, []spelled{{"n"}})
		same("one in a map", func() (lent, error) { return written(map[string]spelled{"k": {"n"}}) }, map[string]spelled{"k": {"n"}})
		same("one in any", func() (lent, error) { return written(any(spelled{"n"})) }, any(spelled{"n"}))
	}
}

func written[T any](v T) (lent, error) {
	return encodeLent(&v, sameByAddress(reflect.TypeFor[T]()), "input of activity", "A")
}

func TestOnlyAPointerMethodPreventsEncodingByAddress(t *testing.T) {
	t.Parallel()
	for want, types := range map[bool][]reflect.Type{
		true: {reflect.TypeFor[parcel](), reflect.TypeFor[int](), reflect.TypeFor[any](), reflect.TypeFor[*spelled](), reflect.TypeFor[[]spelled](),
			reflect.TypeFor[map[string]spelled](), reflect.TypeFor[time.Time](), reflect.TypeFor[struct{ P *spelled }]()},
		false: {reflect.TypeFor[spelled](), reflect.TypeFor[struct{ S spelled }](), reflect.TypeFor[[2]struct{ S spelled }]()},
	} {
		for _, of := range types {
			if got := sameByAddress(of); got != want {
				t.Errorf("%s: %v, want %v", of, got, want)
			}
		}
	}
}

// Not parallel: it counts what the process allocates.
func TestEncodingAnInputReusesItsBuffer(t *testing.T) {
	v := parcel{Name: strings.Repeat("n", 5000)}
	// A garbage collection empties the pools, and goroutines of earlier tests allocate too. So the
	// collector is off, and the least of several runs counts.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	// A pool does not return an item on another processor.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	taken := func(write func() error) uint64 {
		least := uint64(math.MaxUint64)
		for range 10 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range 100 {
				if err := write(); err != nil {
					t.Fatal(err)
				}
			}
			runtime.ReadMemStats(&after)
			least = min(least, (after.TotalAlloc-before.TotalAlloc)/100)
		}
		return least
	}
	own := taken(func() error {
		_, err := encode(v, "input of activity", "A")
		return err
	})
	used := taken(func() error {
		l, err := written(v)
		if err == nil {
			l.giveBack()
		}
		return err
	})
	most := own / 5
	if raced {
		most = own - 1 // The race detector makes pools drop some items.
	}
	if used > most {
		t.Errorf("an input of 5,000 bytes takes %d bytes in room that is used again, %d in room of its own", used, own)
	}
}

// FuzzUnmarshal compares the decoding of payloads with json.Unmarshal: the value, the error, and
// the error's text.
func FuzzUnmarshal(f *testing.F) {
	for _, data := range []string{`null`, `{}`, `{"name":"a","NAME":"b","Weight":1e3,"tags":["x"],"Any":{"a":[1,null]},"Raw": [1] ,"Bytes":"AQI=","Took":5,"Count":"7"}`,
		`{"name":1,"tags":["x"]}`, `{"name":"a","name":"b"}`, `{"Inside":{"Inside":{"name":"\ud800"}}}`, `{"At":"2026-01-02T03:04:05Z"}`, `{"At":"x","name":"y"}`,
		`{"Count":7}`, `{"unknown":{"deep":[[[]]]},"name":"z"}`, `{"name":"a"`, `[]`, `{"Notes":{"a":"b","a":"c"}}`, `{"Weight":1e999}`, `{} x`, "{\"name\":\"\xff\"}"} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, want parcel
		err, errWant := unmarshal(data, &got), json.Unmarshal(data, &want)
		if (err != nil) != (errWant != nil) || err != nil && err.Error() != errWant.Error() || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %+v, %v; json.Unmarshal says %+v, %v", data, got, err, want, errWant)
		}
		var anyGot, anyWant any
		err, errWant = unmarshal(data, &anyGot), json.Unmarshal(data, &anyWant)
		if (err != nil) != (errWant != nil) || !reflect.DeepEqual(anyGot, anyWant) {
			t.Errorf("%q is %+v, %v; json.Unmarshal says %+v, %v", data, anyGot, err, anyWant, errWant)
		}
	})
}

// The two implementations of encoding/json encode some strings differently. A process with either
// one treats the input that the other recorded as equal (rule 3).
func TestAnInputEncodedDifferentlyIsTheSameInput(t *testing.T) {
	t.Parallel()
	for _, spellings := range [][2]string{
		{`{"name":"x\ufffdy"}`, "{\"name\":\"x\ufffdy\"}"},
		{`{"name":"\u2028\u003c\u003e\u0026"}`, "{\"name\":\"\u2028<>&\"}"},
		{`{"name":"\b\f\t"}`, `{"name":"\u0008\u000c\u0009"}`},
		{`{"Weight":1e+21}`, `{"Weight":1000000000000000000000}`},
		{`{"Count":"7","name":"n"}`, `{ "name" : "n", "Count" : "7" }`},
	} {
		a, errA := normalize[parcel]([]byte(spellings[0]))
		b, errB := normalize[parcel]([]byte(spellings[1]))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s is %s, %v; %s is %s, %v", spellings[0], a, errA, spellings[1], b, errB)
		}
	}
}
