// Package plain writes tables, times and payloads as plain text for people at a terminal.
package plain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/internal/printable"
)

// Table aligns columns.
type Table struct{ rows [][]string }

// NewTable returns a table without lines.
func NewTable() *Table { return &Table{} }

// Row adds a line.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, cells) }

// Len is how many lines it has.
func (t *Table) Len() int { return len(t.rows) }

// Print writes the lines.
func (t *Table) Print(w io.Writer) {
	var b bytes.Buffer
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, cells := range t.rows {
		fmt.Fprintln(tw, strings.Join(cells, "\t"))
	}
	// Writing to a buffer does not fail.
	_ = tw.Flush()
	for line := range strings.Lines(b.String()) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
}

// Clip cuts a line to n characters; 0 leaves it whole.
func Clip(s string, n int) string {
	if n <= 0 || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// OneLine is a payload in one line, white space between its tokens left out.
func OneLine(payload []byte, width int) string {
	var b bytes.Buffer
	if json.Compact(&b, payload) != nil {
		b.Reset()
		b.Write(payload)
	}
	return Clip(printable.Line(b.String()), width)
}

// Indented is a payload to be read.
func Indented(payload []byte, prefix string) string {
	var b bytes.Buffer
	if json.Indent(&b, payload, prefix, "  ") != nil {
		return IndentLines(string(payload), prefix)
	}
	return printable.Lines(b.String())
}

// IndentLines is a text of several lines, each after the first behind a prefix.
func IndentLines(text, prefix string) string {
	return strings.ReplaceAll(printable.Lines(strings.TrimSpace(text)), "\n", "\n"+prefix)
}

// Span writes how long something took, in two units at most.
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

// Moment writes a time for people.
func Moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000 UTC") }

// Ago writes how long before now a time was.
func Ago(now, t time.Time) string { return Span(max(now.Sub(t), 0)) + " ago" }

// Plural writes how many there are.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Message is an error's text without the prefix that every error of the root package has.
func Message(err error) string {
	return printable.Lines(strings.TrimPrefix(err.Error(), "turnstile: "))
}
