package program_test

import (
	"encoding/json"
	"testing"

	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"pgregory.net/rapid"
)

func TestTokensAreEncodedAsJSONDoes(t *testing.T) {
	t.Parallel()
	texts := rapid.SampledFrom([]string{"", "act", "r0.1.2", `say "no"`, "a\\b", "<b>&", "ü", "\x7f\n", "!application"})
	var list func(t *rapid.T, depth int) []program.Token
	list = func(t *rapid.T, depth int) []program.Token {
		n := rapid.IntRange(-1, 3).Draw(t, "tokens")
		if n < 0 {
			return nil
		}
		all := []program.Token{}
		for range n {
			x := program.Token{K: texts.Draw(t, "kind"), ID: rapid.IntRange(0, 2).Draw(t, "id"), V: texts.Draw(t, "value")}
			for range rapid.IntRange(0, depth).Draw(t, "lists") {
				x.Sub = append(x.Sub, list(t, depth-1))
			}
			all = append(all, x)
		}
		return all
	}
	rapid.Check(t, func(t *rapid.T) {
		in := list(t, 2)
		got, err := program.EncodeTokens(in)
		want, _ := json.Marshal(in)
		if err != nil || string(got) != string(want) {
			t.Fatalf("%s, %v; want %s", got, err, want)
		}
	})
}
