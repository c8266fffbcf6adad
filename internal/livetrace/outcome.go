package livetrace

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// Outcome shows how an instance ended, with its full output, or its current state.
func (t *Trace) Outcome(d client.Description) {
	status := t.paint.red(string(d.Status))
	switch d.Status {
	case client.StatusCompleted:
		status = t.paint.green(string(d.Status))
	case client.StatusRunning, client.StatusSuspended, client.StatusScheduled, client.StatusQueued:
		status = t.paint.yellow(string(d.Status))
	}
	var b block
	b.line("")
	b.line("%s %s %s", t.paint.bold(printable.Line(d.Instance)), status, lasted(&d))
	switch {
	case d.Failure != nil:
		b.line("  %s", printable.Line(d.Failure.Message))
	case d.Suspension != nil:
		b.line("  suspended: %s", printable.Line(d.Suspension.Reason))
	case d.Problem != nil:
		b.line("  %s: %s", printable.Line(d.Problem.Kind), printable.Line(d.Problem.Message))
	case len(d.Output) > 0:
		for line := range strings.Lines(indented(d.Output)) {
			b.line("  %s", printable.Line(strings.TrimSuffix(line, "\n")))
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.write(&b)
}

func lasted(d *client.Description) string {
	if d.EndedAt.IsZero() {
		return "for " + span(d.UpdatedAt.Sub(d.CreatedAt).Round(10*time.Millisecond))
	}
	return fmt.Sprintf("in %s", span(d.EndedAt.Sub(d.CreatedAt).Round(10*time.Millisecond)))
}

// indented returns JSON with indentation, and any other text unchanged.
func indented(value []byte) string {
	text, ok := printable.Indent(value, "")
	if !ok {
		return string(value)
	}
	return text
}
