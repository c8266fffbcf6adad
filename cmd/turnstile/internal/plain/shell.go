package plain

import (
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/internal/printable"
)

// Operand quotes a word as the last operand of a shell command. It puts -- before a word that starts
// with a dash, because it is not a flag.
func Operand(s string) string {
	if strings.HasPrefix(s, "-") {
		return "-- " + ShellWord(s)
	}
	return ShellWord(s)
}

// ShellWord quotes a word for a shell. It writes unprintable characters, such as a zero-width space,
// as $'\342\200\213', which bash, zsh and ksh read.
func ShellWord(s string) string {
	bare := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r))
	})
	if bare {
		return s
	}
	if printable.Line(s) != s {
		return octal(s)
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// octal writes a word between $' and ', with each byte that is not printable ASCII as an octal number.
func octal(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' || c == '\'' || c == '\\' {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}
