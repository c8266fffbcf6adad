package cause

import (
	"regexp"
	"strings"

	"github.com/turnstile-go/turnstile/history"
)

// OfProblem returns the cause of a problem of an instance of an orchestration with this name.
func OfProblem(kind, message, name, instance string) Cause {
	c := Cause{Kind: kind, Source: name, Message: message}
	switch kind {
	case "not_registered":
		c.Shape = message // Its numbers are versions.
	case history.FailurePanic:
		// The value of a panic may quote inputs of the code. The line of code after it distinguishes panics.
		c.Shape = Pattern(quoted.ReplaceAllString(message, `"…"`), instance)
	}
	return c
}

// quoted is a quoted string.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// OfDifference returns the cause if code and history of an orchestration with this name disagree. have, did
// and at come from a store.ProblemDiff. Its shape has the kind and name of the events, the line of the code
// and the difference, without data of the instance: inputs, outputs, ids and labels.
func OfDifference(kind, message, name, have, did, at string) Cause {
	var b strings.Builder
	b.WriteString("history has " + withoutData(have) + ", the code")
	if at != "" {
		b.WriteString(" at " + at)
	}
	b.WriteString(" " + withoutData(did))
	if all := differs.FindAllString(did, -1); len(all) > 0 {
		b.WriteString(all[len(all)-1])
	}
	return Cause{Kind: kind, Source: name, Message: message, Shape: b.String()}
}

// differs matches the engine's text for the difference, at the end of what the code did or before a hint.
var differs = regexp.MustCompile(` \([a-z][a-z ,]* differs\)`)

// data matches the start of the instance's data in the description of an event, as the engine writes it.
var data = [...]string{", input ", "(output ", " instance \"", ", instance \"", ": \"", " labelled \""}

// withoutData returns the description of an event up to the data of the instance.
func withoutData(text string) string {
	for i, inside := 0, false; i < len(text); i++ {
		if !inside {
			for _, start := range data {
				if strings.HasPrefix(text[i:], start) {
					return withoutNumbers(text[:i] + shut(text[:i], start))
				}
			}
		}
		switch {
		case inside && text[i] == '\\':
			i++
		case text[i] == '"':
			inside = !inside
		}
	}
	if at := differs.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	return withoutNumbers(text)
}

func withoutNumbers(text string) string { return counted.ReplaceAllString(text, "${1}#${2}") }

// counted matches a number that differs between instances: a duration, an event.
var counted = regexp.MustCompile(`(\(|event )\d+( ms\)|\b)`)

// shut closes a description that was cut where its data begins.
func shut(before, data string) string {
	switch open := strings.Count(before, "(") > strings.Count(before, ")"); {
	case open:
		return ", …)"
	case strings.HasPrefix(data, "("):
		return "(…)"
	}
	return ""
}
