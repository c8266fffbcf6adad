package history_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/turnstile-go/turnstile/history"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// The golden files pin the stored format, because histories that were written once must
// stay readable for ever. A change here means a new formatVersion or a new field.
func TestTheEncodingMatchesTheGoldenFiles(t *testing.T) {
	t.Parallel()
	seen := map[history.Kind]int{}
	for _, e := range slices.Concat(samples(), later(), latest()) {
		name := e.Kind.String()
		if seen[e.Kind]++; seen[e.Kind] > 1 {
			name += "-" + strconv.Itoa(seen[e.Kind])
		}
		golden(t, name+".json", []history.Event{e})
	}
	golden(t, "document.json", samples())
	golden(t, "document-2.json", later())
	for _, k := range history.Kinds() {
		if seen[k] == 0 {
			t.Errorf("no golden file for %v: add the kind to samples", k)
		}
	}
}

func golden(t *testing.T, name string, events []history.Event) {
	t.Helper()
	path := filepath.Join("testdata", name)
	got := append(history.Encode(events), '\n')
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./history -update writes the golden files)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: encoding changed\n got: %s\nwant: %s", name, got, want)
	}
	back, err := history.Decode(want)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if !reflect.DeepEqual(back, events) {
		t.Errorf("%s: decoded\n got: %+v\nwant: %+v", name, back, events)
	}
}
