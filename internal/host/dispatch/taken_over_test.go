package dispatch

import (
	"slices"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// The copied operations of a redrive are sent by the commit in which the code agrees with the copy,
// except those that the code cancels there. If a child is running anyway, the cancel comes from the
// execution that started the child, because no start attaches it to this execution.
func TestWhatARedriveCopiedIsHeldBackUntilTheCodeAgrees(t *testing.T) {
	t.Parallel()
	origin := &history.Origin{Instance: "a", ExecutionID: 2, EventID: 3, FirstExecutionID: 1, Carried: []history.Carried{{EventID: 2, ExecutionID: 1}}}
	of := func(o *history.Origin) []history.Event {
		return []history.Event{
			{Kind: history.OrchestrationStarted, EventID: 1, Start: &history.Start{ExecutionID: 3, Origin: o}},
			{Kind: history.SubOrchestrationScheduled, EventID: 2, Instance: "c", Name: "Child", Payload: []byte("1")},
			{Kind: history.ActivityScheduled, EventID: 3, Name: "Work"},
			{Kind: history.OrchestrationRedriven, EventID: 4},
		}
	}
	closed, forked, again := *origin, *origin, *origin
	closed.Carried, forked.Instance = nil, "b"
	again.Carried, again.FirstInstance, again.ForkedExecutionID = []history.Carried{{EventID: 2, ExecutionID: 7, Instance: "b"}}, "b", 1
	open := Work{}
	open.Add(of(origin))
	agrees := history.Event{Kind: history.OrchestrationResumed, EventID: 5, SourceEventID: 4}
	commit := func(o *history.Origin, t *store.Turn, cancelled ...int64) Commit {
		t.ExecutionID = 3
		return Commit{Turn: cancelling(t, cancelled...), Start: of(o)[0].Start, Opened: open, Held: of(o), HeldDone: map[int64]bool{1: true, 4: true}}
	}
	attached := commit(origin, turnOf(history.Event{Kind: history.ExternalEvent, EventID: 6}), 2)
	attached.Held = nil
	for name, c := range map[string]struct {
		Commit
		want []string
		// by is the execution that cancels the child.
		by int64
	}{
		"nothing is sent before":              {commit(origin, turnOf(of(origin)...)), nil, 0},
		"the code agrees":                     {commit(origin, turnOf(agrees)), []string{"orchestrator StartOrchestration c 0", "activity ActivityExecute a 3"}, 0},
		"and cancels both":                    {commit(origin, turnOf(agrees), 2, 3), []string{"orchestrator CancelInstance c 0"}, 1},
		"an end before stops neither":         {commit(&closed, turnOf(history.Event{Kind: history.OrchestrationFailed, EventID: 5}), 2, 3), nil, 0},
		"but a child that runs":               {commit(origin, turnOf(history.Event{Kind: history.OrchestrationFailed, EventID: 5}), 2, 3), []string{"orchestrator CancelInstance c 0"}, 1},
		"the child was cancelled before":      {commit(&closed, turnOf(agrees), 2), []string{"activity ActivityExecute a 3"}, 0},
		"a fork has started none":             {commit(&forked, turnOf(agrees), 2), []string{"activity ActivityExecute a 3"}, 0},
		"a fork that is redriven has":         {commit(&again, turnOf(agrees), 2), []string{"orchestrator CancelInstance c 0", "activity ActivityExecute a 3"}, 1},
		"later it is one of this execution's": {attached, []string{"orchestrator CancelInstance c 0"}, 3},
	} {
		out := newOutbox(newComposer(t))
		out.Add(c.Commit)
		if got := lines(t, out); out.err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: sends %q, want %q; %v", name, got, c.want, out.err)
		}
		for _, p := range out.messages {
			if item, err := wire.ParseText(p.msg.Body); err == nil && item.Kind == wire.CancelInstance && item.Parent.ExecutionID != c.by {
				t.Errorf("%s: execution %d cancels the child, want %d", name, item.Parent.ExecutionID, c.by)
			}
		}
	}
}

// The child of a fork may not have started when the fork is redriven: then it still starts as a
// fork of the original's child. If it exists, the redrive uses it, or continues it.
func TestARedriveOfAForkForksTheChildThatHasNotStarted(t *testing.T) {
	t.Parallel()
	for of, want := range map[string]*history.Origin{"": nil, "original/1/2": {Instance: "original/1/2"}} {
		events := []history.Event{
			{Kind: history.OrchestrationStarted, EventID: 1, Start: &history.Start{ExecutionID: 2, Origin: &history.Origin{Instance: "a", ExecutionID: 1, EventID: 2}}},
			{Kind: history.SubOrchestrationScheduled, EventID: 2, Instance: "a/1/2", Name: "Child", ForkOf: of},
			{Kind: history.OrchestrationRedriven, EventID: 3},
		}
		out := newOutbox(newComposer(t))
		agrees := history.Event{Kind: history.OrchestrationResumed, EventID: 4, SourceEventID: 3}
		out.Add(Commit{Turn: turnOf(agrees), Start: events[0].Start, Held: events, HeldDone: map[int64]bool{1: true, 3: true}})
		if len(out.messages) != 1 {
			t.Fatalf("%d messages are sent, want the start of the child", len(out.messages))
		}
		item, err := wire.ParseText(out.messages[0].msg.Body)
		if err != nil {
			t.Fatal(err)
		}
		if item.Instance != "a/1/2" || item.OnConflict != wire.ConflictUseOrRedrive || (item.Origin == nil) != (want == nil) || want != nil && item.Origin.Instance != want.Instance {
			t.Errorf("the child of a fork of %q is started with %q, of the origin %+v", of, item.OnConflict, item.Origin)
		}
	}
}
