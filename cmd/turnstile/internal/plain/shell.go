package plain

import (
	"strings"

	"github.com/turnstile-go/turnstile/internal/printable"
)

// ShellWord is a word as it can be pasted into a shell.
func ShellWord(s string) string {
	bare := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r))
	})
	if bare {
		return s
	}
	return "'" + strings.ReplaceAll(printable.Line(s), "'", `'\''`) + "'"
}
