package views

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// Difference prints the differences of two executions: for people with the details below each
// operation, otherwise a line for each row.
func Difference(screen *term.Screen, d *api.Difference) {
	if !screen.Person {
		t := term.NewTable()
		for i := range d.Rows {
			r := &d.Rows[i]
			kind, name := r.Kind, r.Name
			if kind == "" {
				kind, name = "operations", strconv.Itoa(r.Equal)
			}
			t.Row(term.Text(sign(r)), term.Text(kind), term.Text(printable.Line(name)), term.Text(strings.Join(r.Differs, ",")), term.Text(eventOf(r.A)), term.Text(eventOf(r.B)), term.Text(printable.Line(r.Label)))
		}
		t.Print(screen)
		return
	}
	side := func(mark string, s *api.DifferenceSide) {
		end := "still running"
		if !s.To.IsZero() {
			end = fmt.Sprintf("%s after %s", s.End, plain.Span(s.To.Sub(s.From)))
		}
		fmt.Fprintf(screen, "%s %s  execution %d, %s, %s\n", mark, screen.In(term.Bold, printable.Line(s.Instance)), s.ExecutionID, printable.Line(strings.TrimSpace(s.Name+" "+s.Version)), end)
	}
	side("<", &d.A)
	side(">", &d.B)
	fmt.Fprintf(screen, "%s equal, %d differ, %d only in the first, %d only in the second\n\n", plain.Plural(d.Equal, "operation is", "operations are"), d.Differ, d.OnlyA, d.OnlyB)
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.Kind == "" {
			fmt.Fprintf(screen, "= %s\n", plain.Plural(r.Equal, "equal operation", "equal operations"))
			continue
		}
		name := r.Kind
		if r.Name != "" {
			name += " " + printable.Line(r.Name)
		} else if r.Op != "" {
			name += " " + r.Op
		}
		if r.Label != "" {
			name = printable.Line(r.Label) + ", " + name
		}
		line := sign(r) + " " + name
		if len(r.Differs) > 0 {
			line += ": " + strings.Join(r.Differs, ", ")
		}
		fmt.Fprintln(screen, screen.In(styleOf(r), line))
		if r.Equal == 0 {
			operation(screen, "<", r, r.A)
			operation(screen, ">", r, r.B)
		}
	}
	if d.More > 0 {
		fmt.Fprintf(screen, "and %s\n", plain.Plural(d.More, "row", "rows"))
	}
}

func sign(r *api.DifferenceRow) string {
	switch {
	case r.Equal > 0:
		return "="
	case r.A == nil:
		return ">"
	case r.B == nil:
		return "<"
	}
	return "~"
}

func styleOf(r *api.DifferenceRow) term.Style {
	switch sign(r) {
	case "<":
		return term.Red
	case ">":
		return term.Green
	case "~":
		return term.Bold
	}
	return term.Dim
}

func eventOf(o *api.DifferenceOperation) string {
	if o == nil {
		return ""
	}
	return strconv.FormatInt(o.EventID, 10)
}

// operation prints what differs on one side, or everything if only this side has the operation.
func operation(screen *term.Screen, mark string, r *api.DifferenceRow, o *api.DifferenceOperation) {
	if o == nil {
		return
	}
	alone := r.A == nil || r.B == nil
	var parts []string
	say := func(what, text string) {
		if text != "" && (alone || slices.Contains(r.Differs, what)) {
			parts = append(parts, what+" "+text)
		}
	}
	say("version", printable.Line(o.Version))
	say("input", payloadLine(o.Input))
	say("value", payloadLine(o.Input))
	if o.DurationMS > 0 {
		say("duration", plain.Span(time.Duration(o.DurationMS)*time.Millisecond))
	}
	say("state", o.State)
	say("result", payloadLine(o.Result))
	if f := o.Failure; f != nil {
		say("failure", printable.Line(f.Kind+": "+f.Message))
	}
	if o.Attempt > 0 {
		say("attempts", strconv.Itoa(o.Attempt))
	}
	text := fmt.Sprintf("  %s event %d", mark, o.EventID)
	if len(parts) > 0 {
		text += "  " + strings.Join(parts, "; ")
	}
	fmt.Fprintln(screen, printable.Clip(text, screen.Columns()))
}

// payloadLine returns a payload in one line.
func payloadLine(p *api.Payload) string {
	switch {
	case p == nil:
		return ""
	case p.Value != nil:
		return plain.OneLine(p.Value, 0)
	}
	return fmt.Sprintf("of %d bytes", p.Bytes)
}
