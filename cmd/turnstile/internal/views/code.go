package views

import (
	"fmt"
	"io"
	"strings"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// shownBranches is how many branches of one execution are printed.
const shownBranches = 20

// CodeWaits prints where the code of an execution waits, a line for each branch.
func CodeWaits(out io.Writer, w *api.CodeWaits) {
	if w.Problem != "" {
		fmt.Fprintf(out, "cannot determine where the code waits: %s\n", printable.Lines(w.Problem))
		return
	}
	for i, b := range w.Branches {
		if i == shownBranches {
			fmt.Fprintf(out, "and %s\n", plain.Plural(len(w.Branches)-i, "branch", "branches"))
			return
		}
		fmt.Fprintf(out, "waits at %s:%d%s\n", printable.Line(b.File), b.Line, waitsFor(&b))
	}
}

// waitsFor describes what a branch waits for.
func waitsFor(b *api.CodeBranch) string {
	var parts []string
	for i, e := range b.EventIDs {
		if i == 4 {
			parts = append(parts, fmt.Sprintf("%d more", len(b.EventIDs)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("event %d", e))
	}
	if b.Branches > 0 {
		parts = append(parts, plain.Plural(b.Branches, "branch", "branches"))
	}
	if len(parts) == 0 {
		return ""
	}
	return " for " + strings.Join(parts, ", ")
}
