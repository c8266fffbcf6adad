package printable_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/printable"
)

func TestJSONIsIndentedAsThePackageOfGoDoes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`7`, `"a\"b{[,:]}"`, `"\\"`, `{}`, `[]`, `[{}]`, `{"a":[]}`, `{"a":{"b":[1,2,{"c":"d: e, \\\"f\\\\"}]},"g":null,"h":true}`, ` [ 1 , "é" ] `,
		strings.Repeat("[", 20) + "1,2" + strings.Repeat("]", 20), `{"é":"<&>"}`,
	} {
		var want bytes.Buffer
		if err := json.Indent(&want, bytes.TrimSpace([]byte(text)), "\t", "  "); err != nil {
			t.Fatal(err)
		}
		if got, ok := printable.Indent([]byte(text), "\t"); !ok || got != want.String() {
			t.Errorf("%s is\n%s\nwant\n%s", text, got, want.String())
		}
	}
	for _, text := range []string{"", "{", "nonsense", "1 2", `"`} {
		if got, ok := printable.Indent([]byte(text), ""); ok {
			t.Errorf("%q is indented: %q", text, got)
		}
	}
}

// A text grows with the payload, and not with its square.
func TestAPayloadThatIsNestedDeeplyStaysShort(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat("[", 1000) + strings.Repeat("1,", 4000) + "1" + strings.Repeat("]", 1000),
		strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000),
		strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
	} {
		got, ok := printable.Indent([]byte(text), "  ")
		if !ok || len(got) > 30*len(text) {
			t.Errorf("%d bytes become %d", len(text), len(got))
		}
		var back bytes.Buffer
		if err := json.Compact(&back, []byte(got)); err != nil || back.String() != text {
			t.Errorf("it is another value: %v", err)
		}
	}
}
