package views_test

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
)

var noon = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// piped is what a view prints for a program, shown what it prints for a person.
func piped(view func(*term.Screen)) string {
	var out strings.Builder
	view(&term.Screen{Writer: &out})
	return out.String()
}

func shown(columns int, view func(*term.Screen)) string {
	var out strings.Builder
	screen := term.Fixed(&out, columns, term.ColoursNever, func(string) string { return "" })
	view(&screen)
	return out.String()
}

// says fails unless the text has each of the parts, in this order.
func says(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, behind, has := strings.Cut(rest, part)
		if !has {
			t.Errorf("printed is\n%swithout %q, or not in this order", text, part)
			return
		}
		rest = behind
	}
}
