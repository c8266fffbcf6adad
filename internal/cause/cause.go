// Package cause finds what failed first in a failure that code passed on, and groups failures with
// the same cause.
package cause

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"

	"github.com/turnstile-go/turnstile/history"
)

// Cause is what failed first.
type Cause struct {
	// Kind of the failure or problem; see history.Failure and store.Problem.
	Kind string
	// Source names the activity or the orchestration that failed.
	Source string
	Code   string
	// Message of its own error, without the texts that code put before it when it passed the error
	// on.
	Message string
	// Shape is used instead of the message to distinguish causes; empty if the message itself is
	// used.
	Shape string
}

// OfFailure returns the cause of a failure of an orchestration with this name.
func OfFailure(f *history.Failure, name string) Cause {
	c := Cause{Kind: f.Kind, Source: f.Source, Code: f.Code, Message: Leaf(f.Message)}
	if c.Source == "" {
		c.Source = name
	}
	return c
}

// Line returns the cause in one line: Charge: card declined.
func (c Cause) Line() string {
	line := c.Source
	if c.Kind != history.FailureApplication && c.Kind != "" {
		line += " (" + c.Kind + ")"
	}
	if c.Message != "" {
		line += ": " + c.Message
	}
	return line
}

// Key returns a short key of a status and a cause. Failures that differ only in ids and numbers
// have the same key. ids are those of the instance and of its children.
func (c Cause) Key(status string, ids ...string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{status, c.Kind, c.Source, c.Code, c.Pattern(ids...)}, "\x00")))
	return hex.EncodeToString(sum[:4])
}

// Pattern returns the shape, or the message without the parts that differ between instances with
// the same failure; see [Pattern].
func (c Cause) Pattern(ids ...string) string {
	if c.Shape != "" {
		return c.Shape
	}
	return Pattern(c.Message, ids...)
}

// handedOn matches the start of an error of an activity or a child, as package turnstile writes it.
var handedOn = regexp.MustCompile(`(?:activity "(?:[^"\\]|\\.)*" failed(?: on attempt \d+)?|sub-orchestration "(?:[^"\\]|\\.)*" \(instance "(?:[^"\\]|\\.)*"\) failed)(?: \([a-z_]+\))?: `)

// Leaf returns the message of what failed first: the text after the last error of an activity or a
// child that passed it on. A message that ends there is returned whole.
func Leaf(message string) string {
	all := handedOn.FindAllStringIndex(message, -1)
	if len(all) == 0 || all[len(all)-1][1] == len(message) {
		return message
	}
	return message[all[len(all)-1][1]:]
}

// HandedOn is an error with which code passed a failure on.
type HandedOn struct {
	// Name of the activity or orchestration that returned it; Instance of a child.
	Name     string `json:"name"`
	Instance string `json:"instance,omitempty"`
	// Kind of the failure, unless it is an error of the code itself; Attempt of an activity.
	Kind    string `json:"kind,omitempty"`
	Attempt int    `json:"attempt,omitempty"`
	// Says is the text that the receiving code put before the error.
	Says string `json:"says,omitempty"`
}

// step parses such an error.
var step = regexp.MustCompile(`^(?:activity ("(?:[^"\\]|\\.)*") failed(?: on attempt (\d+))?|sub-orchestration ("(?:[^"\\]|\\.)*") \(instance ("(?:[^"\\]|\\.)*")\) failed)(?: \(([a-z_]+)\))?: $`)

// Chain returns the steps with which the first failure was passed on, up to the start of the
// message. It is empty if no failure was passed on.
func Chain(message string) []HandedOn {
	all := handedOn.FindAllStringIndex(message, -1)
	if len(all) == 0 || all[len(all)-1][1] == len(message) {
		return nil
	}
	out := make([]HandedOn, len(all))
	from := 0
	for i, at := range all {
		m := step.FindStringSubmatch(message[at[0]:at[1]])
		s := HandedOn{Name: unquoted(m[1] + m[3]), Instance: unquoted(m[4]), Kind: m[5], Says: strings.TrimSuffix(strings.TrimSpace(message[from:at[0]]), ":")}
		s.Attempt, _ = strconv.Atoi(m[2])
		out[len(all)-1-i], from = s, at[1]
	}
	return out
}

func unquoted(text string) string {
	if s, err := strconv.Unquote(text); err == nil {
		return s
	}
	return strings.Trim(text, `"`)
}

// longest is how many bytes of a message are compared.
const longest = 600

var (
	uuid = regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b`)
	hexa = regexp.MustCompile(`(?i)\b0x[0-9a-f]+\b`)
	// coded matches a word of letters and digits, like an id.
	coded = regexp.MustCompile(`\b[0-9A-Za-z]{8,}\b`)
)

// Pattern returns a message without the parts that differ between instances with the same failure:
// ids, numbers, and words that mix letters and digits.
func Pattern(message string, ids ...string) string {
	if len(message) > longest {
		message = strings.ToValidUTF8(message[:longest], "")
	}
	for _, id := range ids {
		if id != "" {
			message = strings.ReplaceAll(message, id, "…")
		}
	}
	message = hexa.ReplaceAllString(uuid.ReplaceAllString(message, "…"), "…")
	message = coded.ReplaceAllStringFunc(message, func(word string) string {
		digits := 0
		for i := range len(word) {
			if word[i] >= '0' && word[i] <= '9' {
				digits++
			}
		}
		if digits < 2 || digits == len(word) {
			return word
		}
		return "…"
	})
	return strings.TrimSpace(numbers(message))
}

// numbers replaces numbers by #, unless they are part of a word, a path or a version.
func numbers(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		end := i
		for end < len(s) && s[end] >= '0' && s[end] <= '9' {
			end++
		}
		switch {
		case end == i:
			b.WriteByte(s[i])
			i++
		case (i == 0 || !joins(s[i-1]) && s[i-1] != ':') && (end == len(s) || !joins(s[end]) || sentenceEnds(s[end:])):
			b.WriteByte('#')
			i = end
		default:
			b.WriteString(s[i:end])
			i = end
		}
	}
	return b.String()
}

func joins(c byte) bool {
	return c == '.' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// sentenceEnds reports whether a text begins with the full stop of a sentence.
func sentenceEnds(s string) bool {
	return s[0] == '.' && (len(s) == 1 || s[1] == ' ')
}
