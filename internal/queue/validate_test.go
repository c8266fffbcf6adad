package queue_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// The messages that are refused are in the suite, queuetest; here is what it
// cannot ask.

func TestPrintable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"plain text stays", "panic: ü\n\tmain.go:7", "panic: ü\n\tmain.go:7"},
		{"control characters are replaced", "a\x00b\x1b[31m", "a\uFFFDb\uFFFD[31m"},
		{"non-characters are replaced", "a\uFFFEb\uFFFF", "a\uFFFDb\uFFFD"},
		{"invalid UTF-8 is replaced", "a\xffb", "a\uFFFDb"},
		{"the replacement character itself stays", "a\uFFFDb", "a\uFFFDb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := queue.Printable(c.in); got != c.want {
				t.Errorf("Printable(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestPrintableTextCanBeSent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		m := queue.Outgoing{Body: "body " + queue.Printable(s)}
		if err := m.Validate(false); err != nil {
			t.Fatal(err)
		}
	})
}

func TestTheSizeCountsAttributesWithNamesAndTypes(t *testing.T) {
	t.Parallel()
	m := queue.Outgoing{Body: "12345", Attributes: map[string]string{"ab": "xyz"}}
	if got, want := m.Size(), 5+2+len("String")+3; got != want {
		t.Errorf("size %d, want %d", got, want)
	}
}

func TestAnErrorNamesTheMessageTheFieldAndTheLimit(t *testing.T) {
	t.Parallel()
	err := queue.ValidateAll(true, []queue.Outgoing{
		{Body: "x", Group: "a"},
		{Body: "x", Group: strings.Repeat("g", 129)},
	})
	for _, want := range []string{"message 1", "group", "129", "128"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
}

// Bodies are looked at eight bytes at a time: each byte counts wherever it stands.
func TestEveryByteOfATextIsLookedAt(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		for at := range 19 {
			b := []byte(strings.Repeat("~ ", 10))[:19]
			b[at] = byte(c)
			carried := c == '\t' || c == '\n' || c == '\r' || c >= 0x20 && c < 0x80
			if got := queue.Printable(string(b)) == string(b); got != carried {
				t.Fatalf("byte %#x at %d: carried %t, want %t", c, at, got, carried)
			}
		}
	}
}
