package livetrace

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/printable"
)

// Widths in columns.
const (
	usual = 116 // without a terminal
	// narrow is the width from which the columns of a turn are aligned.
	narrow    = 76
	narrowest = 40
)

// clip cuts a line to n columns.
func clip(s string, n int) string {
	return printable.Clip(s, max(n, 1))
}

// wrap breaks a text into lines of at most n columns, at spaces; a longer word gets its own line.
func wrap(s string, n int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case printable.Width(line)+1+printable.Width(word) > n:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// fold breaks a text into lines of n characters, at any position; all lines but the first begin
// with two spaces.
func fold(s string, n int) []string {
	var lines []string
	rest, indent := []rune(s), ""
	for len(rest)+len(indent) > n {
		cut := n - len(indent)
		lines = append(lines, strings.TrimRight(indent+string(rest[:cut]), " "))
		rest, indent = rest[cut:], "  "
	}
	return append(lines, strings.TrimRight(indent+string(rest), " "))
}

func timeOfDay(at time.Time) string { return at.Local().Format("15:04:05.000") }

// elapsed formats a duration, from a hundredth of a second to years, in the same width where
// possible.
func elapsed(d time.Duration) string {
	d = max(d, 0)
	if d < time.Hour {
		return fmt.Sprintf("%+8.2fs", d.Seconds())
	}
	return fmt.Sprintf("%9s", "+"+span(d))
}

// span formats a duration: in fractions of a second if it is short, otherwise in two units.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return d.Round(time.Millisecond).String()
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	case d < day:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%dd%02dh", d/day, d%day/time.Hour)
}
