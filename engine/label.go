package engine

import (
	"strings"
	"unicode/utf8"
)

// maxLabel is how many characters a recorded label has at most. The code's own limit for
// each label is below it, so that the innermost always stays.
const maxLabel = 200

const labelSeparator = " / "

// WithLabel returns a context of the same scope whose activities, timers, waits, children
// and messages to other instances are recorded with this label, behind those of the
// contexts around it; of more than maxLabel characters the outermost labels are left out.
// Labels are not compared on replay, and the code never learns them: another one is safe
// for running instances. What one may be is the caller's to see to.
func (c *Context) WithLabel(label string) *Context {
	inner := *c
	inner.label = nested(c.label, label)
	return &inner
}

func nested(outer, label string) string {
	switch {
	case outer == "":
		return label
	case label == "":
		return outer
	}
	room := maxLabel - utf8.RuneCountInString(labelSeparator) - utf8.RuneCountInString(label)
	for utf8.RuneCountInString(outer) > room {
		_, rest, found := strings.Cut(outer, labelSeparator)
		if !found {
			return label
		}
		outer = rest
	}
	return outer + labelSeparator + label
}
