package choice_test

import (
	"testing"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
)

func TestChoicesThatCantBeReadSayWhy(t *testing.T) {
	t.Parallel()
	whole := choice.Format([]choice.Decision{{At: choice.OfFault | 4711, Nth: 300, Value: 2}, {At: choice.OfProgram, Value: 1 << 30}})
	made, err := choice.Parse(whole)
	if err != nil || choice.Format(made) != whole || len(made) != 2 {
		t.Fatalf("%v, %v", made, err)
	}
	for _, bad := range []string{"", "!", whole[:len(whole)-3], "AA"} {
		if _, err := choice.Parse(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
