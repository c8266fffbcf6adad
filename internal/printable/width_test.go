package printable_test

import (
	"testing"

	"github.com/turnstile-go/turnstile/internal/printable"
)

func TestATextHasTheWidthThatATerminalShows(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "order-17": 8, "größe": 5, "gro\u0308ße": 5, "日本語": 6, "한국어": 6, "\u1112\u1161\u11ab": 2, "ﾃﾞｰﾀ": 4, "Ａ": 2, "…": 1, "–": 1, "→": 1,
		"🚂": 2, "🧾": 2, "🫠": 2, "⌚": 2, "✅": 2, "✔": 1, "✔\ufe0f": 2, "❤\ufe0f": 2, "👍🏽": 2, "🇩🇪": 2, "zero\u200bwidth": 9, "▁▂█": 3, "\ufffd": 1,
	} {
		if got := printable.Width(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
}

func TestACutLineFits(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"order-17 is paid", "日本語日本語日本語", "🚂🚃🚃🚃🚃🚃", "❤\ufe0f❤\ufe0f❤\ufe0f❤\ufe0f❤\ufe0f", "gro\u0308ßer als die Spalte", "👍🏽👍🏽👍🏽👍🏽👍🏽"} {
		for n := 1; n <= printable.Width(text)+1; n++ {
			got := printable.Clip(text, n)
			if printable.Width(got) > n || n >= printable.Width(text) && got != text || n < printable.Width(text) && printable.Width(got) < n-1 {
				t.Errorf("%q in %d columns is %q, of %d", text, n, got, printable.Width(got))
			}
		}
		if printable.Clip(text, 0) != text {
			t.Errorf("%q is cut", text)
		}
	}
}
