package deciding

import (
	"log/slog"

	"github.com/turnstile-go/turnstile/host"
)

// Saying is a line of the log, or a count of the observer.
type Saying struct {
	// Text of the line; empty for a count.
	Text  string
	Level slog.Level
	// With are its attributes, in pairs.
	With []any
	// Counted is the counter, Word what it counts.
	Counted host.Counter
	Word    string
}

func info(text string, with ...any) Saying {
	return Saying{Level: slog.LevelInfo, Text: text, With: with}
}

func warning(text string, with ...any) Saying {
	return Saying{Level: slog.LevelWarn, Text: text, With: with}
}

func counted(counter host.Counter, word string) Saying { return Saying{Counted: counter, Word: word} }
