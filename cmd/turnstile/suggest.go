package main

import (
	"strings"

	"github.com/turnstile-go/turnstile/internal/near"
)

// meant returns those of the words that somebody may have meant, three at most:
// those that begin with what was written, else the one that is spelt nearly so.
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

// suggested asks whether one of them was meant; empty for none.
func suggested(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return ": did you mean " + strings.Join(words, " or ") + "?"
}

// notOneOf says that a flag's value is none of those that there are.
func notOneOf(flag, value string, words []string) error {
	return usagef("--%s %q is none of %s%s", flag, value, strings.Join(words, ", "), suggested(meant(value, words)))
}
