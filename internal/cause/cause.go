// Package cause finds what failed first in a failure that was handed on, and puts
// failures with the same cause together.
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
	// Message of its own error, without what those that handed it on wrote before it.
	Message string
	// Shape stands for the message where causes are told apart; empty where the message itself does.
	Shape string
}

// OfFailure is the cause of a failure of an orchestration with this name.
func OfFailure(f *history.Failure, name string) Cause {
	c := Cause{Kind: f.Kind, Source: f.Source, Code: f.Code, Message: Leaf(f.Message)}
	if c.Source == "" {
		c.Source = name
	}
	return c
}

// Line is the cause in a line: Charge: card declined.
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

// Key is a short name of a status and a cause: failures that differ only in ids and
// numbers have the same. ids are those of the instance and of its children.
func (c Cause) Key(status string, ids ...string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{status, c.Kind, c.Source, c.Code, c.Pattern(ids...)}, "\x00")))
	return hex.EncodeToString(sum[:4])
}

// Pattern is the shape, or the message without what differs between instances that failed alike; see
// [Pattern].
func (c Cause) Pattern(ids ...string) string {
	if c.Shape != "" {
		return c.Shape
	}
	return Pattern(c.Message, ids...)
}

// handedOn is what an error of an activity or a child begins with, as the package
// turnstile writes it.
var handedOn = regexp.MustCompile(`(?:activity "(?:[^"\\]|\\.)*" failed(?: on attempt \d+)?|sub-orchestration "(?:[^"\\]|\\.)*" \(instance "(?:[^"\\]|\\.)*"\) failed)(?: \([a-z_]+\))?: `)

// Leaf is the message of what failed first: what stands after the last error of an
// activity or a child that handed it on. A message that ends there stays whole.
func Leaf(message string) string {
	all := handedOn.FindAllStringIndex(message, -1)
	if len(all) == 0 || all[len(all)-1][1] == len(message) {
		return message
	}
	return message[all[len(all)-1][1]:]
}

// Step is an error by which a failure was handed on.
type Step struct {
	// Name of the activity, or of the orchestration, whose failure it is; Instance of a child.
	Name, Instance string
	// Kind of the failure, other than that of the code's own errors; Attempt of an activity.
	Kind    string
	Attempt int
	// Says is what the code that got the error wrote before it.
	Says string
}

// step takes such an error apart.
var step = regexp.MustCompile(`^(?:activity ("(?:[^"\\]|\\.)*") failed(?: on attempt (\d+))?|sub-orchestration ("(?:[^"\\]|\\.)*") \(instance ("(?:[^"\\]|\\.)*")\) failed)(?: \(([a-z_]+)\))?: $`)

// Chain is how what failed first was handed on, from there to the message's head. It is
// empty where nothing was handed on.
func Chain(message string) []Step {
	all := handedOn.FindAllStringIndex(message, -1)
	if len(all) == 0 || all[len(all)-1][1] == len(message) {
		return nil
	}
	out := make([]Step, len(all))
	from := 0
	for i, at := range all {
		m := step.FindStringSubmatch(message[at[0]:at[1]])
		s := Step{Name: unquoted(m[1] + m[3]), Instance: unquoted(m[4]), Kind: m[5], Says: strings.TrimSuffix(strings.TrimSpace(message[from:at[0]]), ":")}
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

// longest is how much of a message tells causes apart, in bytes.
const longest = 600

var (
	uuid = regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b`)
	hexa = regexp.MustCompile(`(?i)\b0x[0-9a-f]+\b`)
	// coded is a word of letters and digits, as ids are.
	coded = regexp.MustCompile(`\b[0-9A-Za-z]{8,}\b`)
)

// Pattern is a message without what differs between instances that failed alike: their
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

// numbers writes # for numbers that are no part of a word, a path or a version.
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
