package deciding

import (
	"testing"

	"github.com/turnstile-go/turnstile/store"
)

// What another has written since the record was read is left there for the next turn.
func TestWhatAMarkHasToTellIsTakenOutUnderTheStampThatWasRead(t *testing.T) {
	t.Parallel()
	turn := &Turn{By: &Terms{Publishes: true}}
	turn.View.Instance, turn.View.Record = "a", &store.Record{Instance: "a", Stamp: 7, Untold: `[{"type":"stuck"}]`}
	var p Plan
	if err := turn.untold(&p); err != nil {
		t.Fatal(err)
	}
	if p.Send.Untold != turn.View.Record.Untold || p.Record == nil || p.Record.Change.Untold == nil || *p.Record.Change.Untold != "" {
		t.Fatalf("the plan is %+v", p)
	}
	if when := p.Record.Change.If; !when.Exists || when.Stamp == nil || *when.Stamp != 7 {
		t.Errorf("it is taken out if %+v, and was read with stamp 7", when)
	}
	for name, silent := range map[string]func(*Turn){
		"nobody subscribes":  func(t *Turn) { t.By = &Terms{} },
		"there is no record": func(t *Turn) { t.View.Record = nil },
		"nothing is untold":  func(t *Turn) { t.View.Record = &store.Record{Instance: "a", Stamp: 7} },
	} {
		other, p := &Turn{By: turn.By, View: turn.View}, Plan{}
		silent(other)
		if err := other.untold(&p); err != nil || p.Send.Untold != "" || p.Record != nil {
			t.Errorf("%s: the plan is %+v, %v", name, p, err)
		}
	}
}
