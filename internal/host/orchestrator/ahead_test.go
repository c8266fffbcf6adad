package orchestrator

import (
	"slices"
	"testing"

	"github.com/turnstile-go/turnstile/history"
)

// What is written ahead has one name for one content and one way to cut it, in every process: so two
// redrives never take each other's parts for their own. What payloads say does not count, because
// they may be sealed anew; how long they are does.
func TestPartsAreNamedAfterWhatTheyHold(t *testing.T) {
	t.Parallel()
	events := func(change func([]history.Event)) []history.Event {
		all := []history.Event{
			{Kind: history.OrchestrationStarted, EventID: 1, Name: "Main", Start: &history.Start{ExecutionID: 2, StartID: "r", States: []byte("1")}},
			{Kind: history.ActivityScheduled, EventID: 2, Name: "Step", Payload: []byte("1")},
			{Kind: history.ActivityFailed, EventID: 3, SourceEventID: 2, Failure: &history.Failure{Kind: history.FailureApplication, Details: []byte("1")}},
		}
		change(all)
		return all
	}
	const most = 1
	parts, name := partsOf(events(func([]history.Event) {}), most)
	if len(parts) != 3 || len(slices.Concat(parts...)) != 3 || len(name) != 32 {
		t.Fatalf("%d parts, named %q", len(parts), name)
	}
	for _, c := range []struct {
		what   string
		change func([]history.Event)
		most   int
		same   bool
	}{
		{"the same", func([]history.Event) {}, most, true},
		{"a payload that is sealed otherwise", func(e []history.Event) { e[1].Payload = []byte("2") }, most, true},
		{"a longer one", func(e []history.Event) { e[1].Payload = []byte("22") }, most, false},
		{"details that are longer", func(e []history.Event) { e[2].Failure.Details = []byte("22") }, most, false},
		{"the start of another redrive", func(e []history.Event) { e[0].Start.StartID = "s" }, most, false},
		{"another activity", func(e []history.Event) { e[1].Name = "Other" }, most, false},
		{"larger parts", func([]history.Event) {}, 1 << 20, false},
	} {
		if _, other := partsOf(events(c.change), c.most); (other == name) != c.same {
			t.Errorf("%s: it is named %s, and %s", c.what, other, name)
		}
	}
}
