package cause

import (
	"regexp"
	"strings"

	"github.com/turnstile-go/turnstile/history"
)

// OfProblem is the cause of a problem of an instance of an orchestration with this name.
func OfProblem(kind, message, name, instance string) Cause {
	c := Cause{Kind: kind, Source: name, Message: message}
	switch kind {
	case "not_registered":
		c.Shape = message // Its numbers are versions.
	case history.FailurePanic:
		// The value of a panic quotes what the code was given. The line of the code behind it tells panics apart.
		c.Shape = Pattern(quoted.ReplaceAllString(message, `"…"`), instance)
	}
	return c
}

// quoted is a quoted string.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// OfDifference is the cause where code and history of an orchestration with this name disagree.
// have, did and at are those of a store.ProblemDiff. Its shape has kind and name of the events, the line of
// the code and what differs, without what each instance has of its own: inputs, outputs, ids and labels.
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

// differs is how the engine says what differs, at the end of what the code did or before a hint.
var differs = regexp.MustCompile(` \([a-z][a-z ,]* differs\)`)

// data begins what an instance has of its own in the description of an event, as the engine writes it.
var data = [...]string{", input ", "(output ", " instance \"", ", instance \"", ": \"", " labelled \""}

// withoutData is a description of an event up to the data of the instance.
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

// counted is a number that instances have of their own: a duration, an event.
var counted = regexp.MustCompile(`(\(|event )\d+( ms\)|\b)`)

// shut ends a description that was cut where its data begins.
func shut(before, data string) string {
	switch open := strings.Count(before, "(") > strings.Count(before, ")"); {
	case open:
		return ", …)"
	case strings.HasPrefix(data, "("):
		return "(…)"
	}
	return ""
}
