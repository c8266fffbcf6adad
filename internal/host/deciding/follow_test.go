package deciding

import (
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

func TestWhatFollowsACommit(t *testing.T) {
	t.Parallel()
	next := []history.Event{{Kind: history.OrchestrationStarted}}
	for _, c := range []struct {
		name   string
		turn   engine.Turn
		leaves leaves
		want   roundStep
	}{
		{"it waits", engine.Turn{State: engine.Waiting}, ran, settling},
		{"it has ended", engine.Turn{State: engine.Ended}, ran, settling},
		{"it cannot go on, though a result was recorded", engine.Turn{State: engine.Stuck}, ran, settling},
		{"no code is to be run", engine.Turn{State: engine.Waiting, Parked: true}, parked, settling},
		{"its start is only recorded", engine.Turn{State: engine.Waiting}, recorded, running},
		{"it continues as new", engine.Turn{State: engine.Ended, Next: next}, ran, running},
		{"an inline activity is to be run", engine.Turn{State: engine.RunInline}, ran, weighing},
	} {
		d := newDraft(c.turn, nil)
		d.leaves = c.leaves
		if got := follow(d); got != c.want {
			t.Errorf("%s: %d follows, want %d", c.name, got, c.want)
		}
	}
}
