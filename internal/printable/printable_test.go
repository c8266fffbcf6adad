package printable_test

import (
	"testing"

	"github.com/turnstile-go/turnstile/internal/printable"
)

func TestWhatIsPrintedCannotSteerATerminal(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain é 漢": "plain é 漢", "a\nb\tc": "a b c", "\x1b[2Jx": "\ufffd[2Jx", "\u202e": "\ufffd", "\x9b": "\ufffd", "\xff": "\ufffd",
	} {
		if got := printable.Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
	if got := printable.Lines("a\n\tb\x07"); got != "a\n\tb\ufffd" {
		t.Errorf("Lines gives %q", got)
	}
}
