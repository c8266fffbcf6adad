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
	} {
		if got := plain.ShellWord(word); got != want {
			t.Errorf("ShellWord(%q) = %s, want %s", word, got, want)
		}
	}
}
