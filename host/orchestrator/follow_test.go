package orchestrator

import (
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

func TestWhatFollowsACommit(t *testing.T) {
	t.Parallel()
	next := []history.Event{{Kind: history.OrchestrationStarted}}
	for _, c := range []struct {
		name                     string
		turn                     engine.Turn
		park, recorded, answered bool
		want                     following
	}{
		{"it waits", engine.Turn{State: engine.Waiting}, false, false, false, nothing},
		{"it has ended", engine.Turn{State: engine.Ended}, false, false, false, nothing},
		{"it cannot go on, though a result was recorded", engine.Turn{State: engine.Stuck}, false, false, true, nothing},
		{"no code is to be run", engine.Turn{State: engine.Waiting, Parked: true}, true, true, false, nothing},
		{"its start is only recorded", engine.Turn{State: engine.Waiting}, false, true, false, another},
		{"it continues as new", engine.Turn{State: engine.Ended, Next: next}, false, false, false, another},
		{"an inline activity is to be run", engine.Turn{State: engine.RunInline}, false, false, false, inline},
		{"its result is to be seen", engine.Turn{State: engine.RunInline}, false, false, true, another},
	} {
		if got := follow(newDraft(c.turn), c.park, c.recorded, c.answered); got != c.want {
			t.Errorf("%s: %d follows, want %d", c.name, got, c.want)
		}
	}
}
