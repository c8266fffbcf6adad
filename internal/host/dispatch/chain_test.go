package dispatch

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/store"
)

// Messages that a round sends are one deeper than the arrival of the round. An execution is one
// deeper than the previous execution, whatever events it carries over.
func TestTheDepthOfRounds(t *testing.T) {
	t.Parallel()
	const deep, fresh, worked, beyond = 70, 0, 50, 102
	depths := map[string]int{"deep": deep, "fresh": fresh, "worked": worked, "beyond": beyond}
	slowed := host.LoopSettings{Depth: 100, First: 2 * time.Second, Max: time.Minute} // 4 s at a depth of 102
	result := func(atMS int64) history.Event {
		return history.Event{Kind: history.ActivityCompleted, SourceEventID: 2, SenderID: "worked", AtMS: atMS}
	}
	late := func(atMS int64) history.Event {
		return history.Event{Kind: history.ActivityFailed, SourceEventID: 2, SenderID: "beyond", AtMS: atMS}
	}
	at := func(e history.Event, ms int64) history.Event { e.AtMS = ms; return e }
	arrived := func(_ *store.Turn, e *history.Event) (int, bool) {
		depth, ok := depths[e.SenderID]
		return depth, ok
	}
	event := func(sender string) history.Event { return history.Event{Kind: history.ExternalEvent, SenderID: sender} }
	inline := history.Event{Kind: history.ActivityCompleted, SourceEventID: 2}
	answer, again := history.Event{Kind: history.SystemCall}, history.Event{Kind: history.OrchestrationContinuedAsNew}
	parked := func(events ...history.Event) *store.Turn { return &store.Turn{Events: events, Parked: true} }
	made := func(events ...history.Event) *store.Turn { return &store.Turn{Events: events} }
	for _, c := range []struct {
		name    string
		chain   Chain
		commits []*store.Turn
		want    int
	}{
		{"nothing has arrived", Chain{}, []*store.Turn{made(answer)}, 0},
		{"the last arrival counts", Chain{}, []*store.Turn{made(event("deep"), answer, event("fresh"), answer)}, fresh},
		{"even if it is the deep one", Chain{}, []*store.Turn{made(event("fresh"), answer, event("deep"), answer)}, deep},
		{"an inline result continues its round", Chain{}, []*store.Turn{made(event("deep"), answer), made(inline, answer)}, deep},
		{"arrivals that were only recorded are one round, with the largest depth", Chain{}, []*store.Turn{parked(event("deep"), event("fresh")), made(answer)}, deep},
		{"and ends with its answers", Chain{}, []*store.Turn{parked(event("deep")), made(answer), made(event("fresh"), answer)}, fresh},
		{"a turn that a wake continues", Chain{Depth: 9, Open: true}, []*store.Turn{made(event("fresh"), answer)}, 9},
		{"the result of an activity starts at zero", Chain{}, []*store.Turn{made(event("deep"), answer), made(result(11), answer)}, fresh},
		{"an execution that answers a quick one is deeper", Chain{Started: 10}, []*store.Turn{made(result(11), at(again, 900))}, worked + 1},
		{"not one that has lasted for a second", Chain{Started: 10}, []*store.Turn{made(result(11), at(again, 1010))}, fresh + 1},
		{"nor one that responds to a later message from outside", Chain{Started: 10}, []*store.Turn{made(result(11), answer, event("fresh"), at(again, 12))}, fresh + 1},
		{"beyond the depth its wait is no work", Chain{Started: 10}, []*store.Turn{made(late(12), at(again, 8009))}, beyond + 1},
		{"the next execution", Chain{}, []*store.Turn{made(event("deep"), again)}, deep + 1},
		{"its copied operations start nothing again", Chain{}, []*store.Turn{made(event("deep"), again), parked(event("fresh")), made(again)}, deep + 2},
	} {
		chain := c.chain
		chain.Arrived = arrived
		for _, commit := range c.commits {
			for i := range commit.Events {
				chain.follow(commit, &commit.Events[i])
			}
			chain.commits(commit, &slowed)
		}
		if chain.Depth != c.want {
			t.Errorf("%s: depth %d, want %d", c.name, chain.Depth, c.want)
		}
	}
}

func TestPausesGrowWithTheDepth(t *testing.T) {
	t.Parallel()
	s := host.LoopSettings{Depth: 1000, First: time.Second, Max: 15 * time.Minute}
	for depth, want := range map[int]time.Duration{0: 0, 1000: 0, 1001: time.Second, 1002: 2 * time.Second, 1004: 8 * time.Second, 5000: 15 * time.Minute} {
		if got := Pause(&s, depth); got != want {
			t.Errorf("depth %d: %s, want %s", depth, got, want)
		}
	}
	for name, off := range map[string]host.LoopSettings{"off": {Depth: -1, First: time.Second}, "fails": {Depth: 1, First: time.Second, Fail: true}} {
		if got := Pause(&off, 5000); got != 0 {
			t.Errorf("%s: %s", name, got)
		}
	}
}
