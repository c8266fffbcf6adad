package names

import (
	"fmt"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// maxLabel is the longest label, in characters.
const maxLabel = 100

// Label returns the problem with a label, which may be empty; "" if there is none.
func Label(label string) string {
	if !utf8.ValidString(label) {
		return fmt.Sprintf("the label %.200q is not UTF-8", label)
	}
	if n := utf8.RuneCountInString(label); n > maxLabel {
		return fmt.Sprintf("the label %.60q… has %d characters; the maximum is %d", label, n, maxLabel)
	}
	if what, at := wire.BadCharacter(label); what != "" {
		return fmt.Sprintf("the label %q has %s at byte %d: labels are one line of plain text", label, what, at)
	}
	return ""
}
