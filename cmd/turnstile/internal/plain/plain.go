// Package plain writes tables, times and payloads as plain text for people at a terminal.
package plain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/printable"
)

// Table aligns columns.
type Table struct{ rows [][]string }

// NewTable returns a table without lines.
func NewTable() *Table { return &Table{} }

// Row adds a line.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, cells) }

// Len returns the number of lines.
func (t *Table) Len() int { return len(t.rows) }

// Print writes the lines.
func (t *Table) Print(w io.Writer) {
	var widths []int
	for _, cells := range t.rows {
		for i, cell := range cells[:max(len(cells)-1, 0)] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], printable.Width(cell))
		}
	}
	for _, cells := range t.rows {
		var line strings.Builder
		for i, cell := range cells {
			if line.WriteString(cell); i < len(cells)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-printable.Width(cell)+2))
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// OneLine returns a payload in one line, without white space between tokens.
func OneLine(payload []byte, width int) string {
	var b bytes.Buffer
	if json.Compact(&b, payload) != nil {
		b.Reset()
		b.Write(payload)
	}
	return printable.Clip(printable.Line(b.String()), width)
}

// Indented returns a payload with indentation.
func Indented(payload []byte, prefix string) string {
	text, ok := printable.Indent(payload, prefix)
	if !ok {
		return IndentLines(string(payload), prefix)
	}
	return printable.Lines(text)
}

// IndentLines returns a text with a prefix before each line after the first.
func IndentLines(text, prefix string) string {
	return strings.ReplaceAll(printable.Lines(strings.TrimSpace(text)), "\n", "\n"+prefix)
}

// Span formats a duration in at most two units.
func Span(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Span(-d)
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%d.%ds", d/time.Second, d%time.Second/(100*time.Millisecond))
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%dd%02dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
}

// Moment formats a time in UTC.
func Moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000 UTC") }

// Ago formats the time since t.
func Ago(now, t time.Time) string { return Span(max(now.Sub(t), 0)) + " ago" }

// Plural returns a number with the singular or plural of a noun.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Message returns an error's text without the prefix of the root package.
func Message(err error) string {
	return printable.Lines(strings.TrimPrefix(err.Error(), "turnstile: "))
}
