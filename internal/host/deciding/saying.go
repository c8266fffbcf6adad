package deciding

import (
	"log/slog"

	"github.com/turnstile-go/turnstile/host"
)

// Report is a log line or a count for the observer.
type Report struct {
	// Text of the line; empty for a count.
	Text  string
	Level slog.Level
	// With are the attributes of the line, in pairs.
	With []any
	// Counted is the counter; Word is the reason or outcome that it counts.
	Counted host.Counter
	Word    string
}

func info(text string, with ...any) Report {
	return Report{Level: slog.LevelInfo, Text: text, With: with}
}

func warning(text string, with ...any) Report {
	return Report{Level: slog.LevelWarn, Text: text, With: with}
}

func counted(counter host.Counter, word string) Report { return Report{Counted: counter, Word: word} }
