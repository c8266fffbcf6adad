package plain_test

import (
	"testing"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
)

func TestAShellReadsAWordAsItWas(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"order-17": "order-17", "a/b:c=d@e%f+g,h.i_j": "a/b:c=d@e%f+g,h.i_j", "": "''",
		"two words": "'two words'", "$HOME": "'$HOME'", "it's": `'it'\''s'`, `"quoted"`: `'"quoted"'`, "~/keys": "'~/keys'", "größer": "'größer'",
		"zero\u200bwidth": `$'zero\342\200\213width'`, "two\nlines": `$'two\012lines'`, "it's\u00a0\\": `$'it\047s\302\240\134'`, "-x": "-x",
	} {
		if got := plain.ShellWord(word); got != want {
			t.Errorf("ShellWord(%q) = %s, want %s", word, got, want)
		}
	}
}

func TestAnOperandIsNoFlag(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"order-17": "order-17", "-17": "-- -17", "--all": "-- --all", "- x": "-- '- x'", "-": "-- -"} {
		if got := plain.Operand(word); got != want {
			t.Errorf("Operand(%q) = %s, want %s", word, got, want)
		}
	}
}
