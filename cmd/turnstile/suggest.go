package main

import (
	"strings"

	"github.com/turnstile-go/turnstile/internal/near"
)

// meant returns at most three suggestions for a misspelt word: the words that start with it, or
// else the word with the closest spelling.
func meant(written string, words []string) []string {
	written = strings.TrimLeft(written, "-")
	var out []string
	for _, word := range words {
		if len(written) > 1 && strings.HasPrefix(word, strings.ToLower(written)) && len(out) < 3 {
			out = append(out, word)
		}
	}
	if word := near.Name(written, words); word != "" && len(out) == 0 {
		out = append(out, word)
	}
	return out
}

// suggested returns a "did you mean" suffix with the words, or "" for none.
func suggested(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return ": did you mean " + strings.Join(words, " or ") + "?"
}

// notOneOf returns the usage error for a flag value that is not in words.
func notOneOf(flag, value string, words []string) error {
	return usagef("--%s %q: must be one of %s%s", flag, value, strings.Join(words, ", "), suggested(meant(value, words)))
}
