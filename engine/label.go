package engine

import (
	"strings"
	"unicode/utf8"
)

// maxLabel is the maximum number of characters in a recorded label. The limit for a
// single label is lower, so the innermost label always fits.
const maxLabel = 200

const labelSeparator = " / "

// WithLabel returns a context of the same scope. Its activities, timers, waits, children
// and messages to other instances are recorded with this label after the labels of the
// contexts around it. If that exceeds maxLabel characters, the outermost labels are left
// out. Replay does not compare labels and the code cannot read them, so changing them is
// safe for running instances. The caller validates the label.
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
