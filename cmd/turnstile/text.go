package main

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

// table aligns columns.
type table struct{ rows [][]string }

func newTable() *table { return &table{} }

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print(w io.Writer) {
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

// clip cuts a line to n characters; 0 leaves it whole.
func clip(s string, n int) string {
	if n <= 0 || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// oneLine is a payload in one line, white space between its tokens left out.
func oneLine(payload []byte, width int) string {
	var b bytes.Buffer
	if json.Compact(&b, payload) != nil {
		b.Reset()
		b.Write(payload)
	}
	return clip(printable.Line(b.String()), width)
}

// indented is a payload to be read.
func indented(payload []byte, prefix string) string {
	var b bytes.Buffer
	if json.Indent(&b, payload, prefix, "  ") != nil {
		return indentLines(string(payload), prefix)
	}
	return printable.Lines(b.String())
}

func indentLines(text, prefix string) string {
	return strings.ReplaceAll(printable.Lines(strings.TrimSpace(text)), "\n", "\n"+prefix)
}

// span writes how long something took, in two units at most.
func span(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + span(-d)
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

// moment writes a time for people.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000 UTC") }

// ago writes how long before now a time was.
func ago(now, t time.Time) string { return span(max(now.Sub(t), 0)) + " ago" }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
