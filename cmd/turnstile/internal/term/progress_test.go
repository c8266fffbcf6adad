package term_test

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
)

func TestAPersonSeesProgressInOneLineThatIsClearedAtItsEnd(t *testing.T) {
	t.Parallel()
	now := time.Unix(100, 0)
	var out strings.Builder
	screen := term.Fixed(&out, 40, term.ColoursNever, func(string) string { return "" })
	p := term.NewProgress(&screen, func() time.Time { return now })
	p.Show("1 of 9")
	p.Show("2 of 9") // Too soon after the first to be read.
	now = now.Add(time.Second)
	p.Show(strings.Repeat("x", 80))
	p.Line("a failed")
	p.Line("b failed")
	p.Show("4 of 9")
	p.End()
	p.End()
	want := "\r\x1b[K1 of 9\r\x1b[K" + strings.Repeat("x", 38) + "…\r\x1b[Ka failed\nb failed\n\r\x1b[K4 of 9\r\x1b[K"
	if got := out.String(); got != want {
		t.Errorf("written is %q, want %q", got, want)
	}
}

func TestALogGetsALineOfProgressEveryTenSeconds(t *testing.T) {
	t.Parallel()
	now := time.Unix(100, 0)
	var out strings.Builder
	p := term.NewProgress(&term.Screen{Writer: &out}, func() time.Time { return now })
	for _, text := range []string{"at 0", "at 5", "at 10", "at 15", "at 20"} {
		p.Show(text)
		now = now.Add(5 * time.Second)
	}
	p.End()
	if got, want := out.String(), "at 10\nat 20\n"; got != want {
		t.Errorf("written is %q, want %q", got, want)
	}
}
