package dispatch

import (
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// A child that runs is sent what ends it, also where the execution takes it over and cancels it in
// one commit, and so never attaches itself to it. What is sent says then that it waits for no start.
func TestWhatEndsAChildThatARedriveHasTakenOver(t *testing.T) {
	t.Parallel()
	origin := &history.Origin{Instance: "a", ExecutionID: 1, EventID: 2, FirstExecutionID: 1, Carried: []history.Carried{{EventID: 2, ExecutionID: 1}}}
	of := func(o *history.Origin) []history.Event {
		return []history.Event{
			{Kind: history.OrchestrationStarted, EventID: 1, Start: &history.Start{ExecutionID: 2, Origin: o, LimitKey: "k"}},
			{Kind: history.SubOrchestrationScheduled, EventID: 2, Instance: "c", Name: "Child", Payload: []byte("1")},
			{Kind: history.OrchestrationRedriven, EventID: 3},
		}
	}
	closed, forked := *origin, *origin
	closed.Carried, forked.Instance = nil, "b"
	takes := func(o *history.Origin) Commit {
		return Commit{Turn: cancelling(turnOf(of(o)...), 2), Start: of(o)[0].Start}
	}
	open := Work{}
	open.Add(of(origin))
	later := turnOf(history.Event{Kind: history.OrchestrationResumed, EventID: 5})
	for name, c := range map[string]struct {
		Commit
		// sent: something is, which waits for no start if alone.
		sent, alone bool
	}{
		"it runs":                              {takes(origin), true, true},
		"it was cancelled before":              {takes(&closed), false, false},
		"a fork has started none":              {takes(&forked), false, false},
		"it is attached to the execution":      {Commit{Turn: cancelling(later, 2), Start: of(origin)[0].Start, Opened: open}, true, false},
		"the redrive has waited under a limit": {Commit{Turn: cancelling(later, 2), Start: of(origin)[0].Start, Opened: open, Held: of(origin), HeldDone: map[int64]bool{}}, true, true},
	} {
		out := newOutbox(newComposer(t))
		out.Add(c.Commit)
		var cancels []wire.Item
		for _, p := range out.parcels {
			if item, err := wire.ParseText(p.msg.Body); err != nil {
				t.Fatal(err)
			} else if item.Instance == "c" {
				cancels = append(cancels, item)
			}
		}
		switch {
		case !c.sent && len(cancels) > 0, c.sent && (len(cancels) != 1 || cancels[0].Kind != wire.CancelInstance):
			t.Errorf("%s: the child is sent %v", name, cancels)
		case c.sent && (cancels[0].Origin.ExecutionID != 1 || cancels[0].Origin.EventID > 0 != c.alone):
			t.Errorf("%s: the cancel is of the origin %+v", name, cancels[0].Origin)
		}
	}
}
