package supervised_test

import (
	"testing"

	theirs "github.com/turnstile-go/turnstile/internal/supervised"
	"github.com/turnstile-go/turnstile/sqlite/internal/supervised"
)

func TestBothSidesAgree(t *testing.T) {
	t.Parallel()
	type agreed struct {
		Supervised, Addr, Data, Console, Reset, Replay, Waits, ConsoleFile string
		Failed, Refused, Disagrees                                         int
	}
	ours := agreed{supervised.Supervised, supervised.Addr, supervised.Data, supervised.Console, supervised.Reset, supervised.Replay, supervised.Waits, supervised.ConsoleFile,
		supervised.Failed, supervised.Refused, supervised.Disagrees}
	if want := (agreed{theirs.Supervised, theirs.Addr, theirs.Data, theirs.Console, theirs.Reset, theirs.Replay, theirs.Waits, theirs.ConsoleFile,
		theirs.Failed, theirs.Refused, theirs.Disagrees}); ours != want {
		t.Errorf("the program goes by %+v, turnstile dev by %+v", ours, want)
	}
}
