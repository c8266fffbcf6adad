package dispatch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// now is the time of all outboxes.
var now = time.UnixMilli(1_700_000_000_000)

func newComposer(t *testing.T) Composer {
	t.Helper()
	keys, err := keyring.New(keyring.Config{Keys: &keyring.Memory{}, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	if err := keys.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return Composer{Edge: edge.New(nil, wire.Limits{}), Keys: keys, Settings: &host.DispatchSettings{TimerBorder: 15 * time.Minute, TimerLeast: 2 * time.Minute}}
}

func newOutbox(c Composer) *Outbox {
	return &Outbox{Composer: c, Now: now, with: services{timer: true}}
}

// The messages of a commit depend only on the commit. Each line is a parcel: its route and its
// content.
func TestTheMessagesOfACommit(t *testing.T) {
	t.Parallel()
	act := func(id int64) history.Event {
		return history.Event{Kind: history.ActivityScheduled, EventID: id, Name: "Work", Payload: []byte("1")}
	}
	timerIn := func(id int64, d time.Duration) history.Event {
		return history.Event{Kind: history.TimerCreated, EventID: id, AtMS: now.UnixMilli(), FireAtMS: now.Add(d).UnixMilli()}
	}
	child := func(id int64) history.Event {
		return history.Event{Kind: history.SubOrchestrationScheduled, EventID: id, Instance: "c", Name: "Child", Payload: []byte("1")}
	}
	end := func(id int64) history.Event {
		return history.Event{Kind: history.OrchestrationCompleted, EventID: id, Payload: []byte("1")}
	}
	parent := &history.Start{Parent: &history.Parent{Instance: "p", ExecutionID: 3, EventID: 9}}
	open := Work{}
	open.Add([]history.Event{act(2), timerIn(3, time.Hour), timerIn(4, time.Minute), child(5)})
	long := strings.Repeat("1", 300<<10)
	for _, c := range []struct {
		name   string
		commit Commit
		want   []string
	}{
		{"an activity", Commit{Turn: turnOf(act(2))}, []string{"activity ActivityExecute a 2"}},
		{"an inline activity is not sent", Commit{Turn: turnOf(history.Event{Kind: history.ActivityScheduled, EventID: 2, Name: "Work", Inline: true})}, nil},
		{"an operation that the same turn cancelled is never sent", Commit{Turn: cancelling(turnOf(act(2), act(3)), 2)}, []string{"activity ActivityExecute a 3"}},
		{"a completed operation is not sent again", Commit{Turn: turnOf(act(2), act(3)), Done: map[int64]bool{3: true}}, []string{"activity ActivityExecute a 2"}},
		{"a short timer waits in the delay queue", Commit{Turn: turnOf(timerIn(2, time.Minute))}, []string{"delay TimerFired a 2"}},
		{"a long one has a schedule", Commit{Turn: turnOf(timerIn(2, time.Hour))}, []string{"schedule TimerFired a 2"}},
		{"that of a gate waits in the delay queue, and has none", Commit{Turn: &store.Turn{Instance: "limit:k", ExecutionID: 1, Events: []history.Event{timerIn(2, time.Hour)}}},
			[]string{"delay TimerFired limit:k 2"}},
		{"so nothing is removed", Commit{Turn: cancelling(&store.Turn{Instance: "limit:k", ExecutionID: 1, Events: []history.Event{end(9)}}, 3), Opened: open}, nil},
		{"one that is due goes to its orchestration at once", Commit{Turn: turnOf(timerIn(2, -time.Second))}, []string{"orchestrator TimerFired a 2"}},
		{"a child is started", Commit{Turn: turnOf(child(2))}, []string{"orchestrator StartOrchestration c 0"}},
		{"a detached orchestration is started each time", Commit{Turn: turnOf(history.Event{Kind: history.OrchestrationChained, EventID: 2, Instance: "d", Name: "Other"}),
			Done: map[int64]bool{2: true}}, []string{"orchestrator StartOrchestration d 0"}},
		{"an event for another instance", Commit{Turn: turnOf(history.Event{Kind: history.SystemCall, Op: history.OpRaiseEvent, EventID: 2, Instance: "b", Name: "e"})},
			[]string{"orchestrator ExternalRaised b 0"}},
		{"a cancel of another instance", Commit{Turn: turnOf(history.Event{Kind: history.SystemCall, Op: history.OpCancelInstance, EventID: 2, Instance: "b"})},
			[]string{"orchestrator CancelInstance b 0"}},
		{"an end of another instance", Commit{Turn: turnOf(history.Event{Kind: history.SystemCall, Op: history.OpCancelInstance, Forced: history.ForcedByOperator, EventID: 2, Instance: "b"})},
			[]string{"orchestrator TerminateInstance b 0"}},
		{"a commit that sends nothing", Commit{Turn: turnOf(history.Event{Kind: history.SystemCall, Op: "now", EventID: 2})}, nil},
		{"a cancelled activity is asked to stop", Commit{Turn: cancelling(turnOf(act(9)), 2), Opened: open}, []string{"stop a 2", "activity ActivityExecute a 9"}},
		{"a cancelled timer loses its schedule, if it has one", Commit{Turn: cancelling(turnOf(end(9)), 3, 4), Opened: open}, []string{"removal"}},
		{"a cancelled child is notified", Commit{Turn: cancelling(turnOf(act(9)), 5), Opened: open},
			[]string{"orchestrator CancelInstance c 0", "activity ActivityExecute a 9"}},
		{"the parent is notified of the end", Commit{Turn: turnOf(end(9)), Start: parent}, []string{"orchestrator SubOrchCompleted p 9"}},
		{"and so are those that have attached themselves", Commit{Turn: turnOf(end(9)), Start: parent, Parents: []*history.Parent{{Instance: "q", ExecutionID: 1, EventID: 4}}},
			[]string{"orchestrator SubOrchCompleted p 9", "orchestrator SubOrchCompleted q 4"}},
		{"a continue-as-new notifies no parent", Commit{Turn: turnOf(history.Event{Kind: history.OrchestrationContinuedAsNew, EventID: 9}), Start: parent}, nil},
		{"an input that no message holds fails its activity", Commit{Turn: turnOf(history.Event{Kind: history.ActivityScheduled, EventID: 2, Name: "Work", Payload: []byte(long)})},
			[]string{"orchestrator ActivityFailed a 2"}},
		{"an output that no message holds fails the child", Commit{Turn: turnOf(history.Event{Kind: history.OrchestrationCompleted, EventID: 9, Payload: []byte(long)}), Start: parent},
			[]string{"orchestrator SubOrchFailed p 9"}},
		{"if nothing waits, it is a dead letter", Commit{Turn: turnOf(history.Event{Kind: history.OrchestrationChained, EventID: 2, Instance: "d", Name: "Other", Payload: []byte(long)})},
			[]string{`dead {"unsent":{"instance":"a","execution_id":1,"event_id":2}}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			composer := newComposer(t)
			if c.commit.Start == nil {
				c.commit.Start = &history.Start{}
			}
			out, again := newOutbox(composer), newOutbox(composer)
			out.Add(c.commit)
			again.Add(c.commit)
			if out.err != nil {
				t.Fatal(out.err)
			}
			got := lines(t, out)
			if !slices.Equal(got, c.want) {
				t.Errorf("sends %q, want %q", got, c.want)
			}
			for i := range out.messages {
				if a, b := out.messages[i], again.messages[i]; fmt.Sprint(a) != fmt.Sprint(b) {
					t.Errorf("composed again it is %+v, was %+v", b, a)
				}
			}
		})
	}
}

func turnOf(events ...history.Event) *store.Turn {
	return &store.Turn{Instance: "a", ExecutionID: 1, Events: events}
}

func cancelling(t *store.Turn, events ...int64) *store.Turn {
	t.Cancelled = events
	return t
}

var routeNames = [routes]string{"answer", "stop", "removal", "schedule", "bus", "delay", "orchestrator", "dead", "activity"}

// lines returns the parcels of an outbox, ordered by route.
func lines(t *testing.T, out *Outbox) (all []string) {
	t.Helper()
	for r := range routes {
		for _, p := range out.messages {
			if p.route != r {
				continue
			}
			line := routeNames[r]
			body := p.msg.Body + p.schedule.Body
			switch {
			case r == toStop:
				line += fmt.Sprintf(" %s %d", p.stop.key.Instance, p.stop.key.EventID)
			case r == toDead:
				line += " " + body
			case body != "":
				item, err := wire.ParseText(body)
				if err != nil {
					t.Fatal(err)
				}
				line += fmt.Sprintf(" %s %s %d", item.Kind, item.Target(), max(item.SourceEventID, item.SchedulingEventID))
			}
			all = append(all, line)
		}
	}
	return all
}

// A timer that went through the delay queue has no schedule to remove: in a loop of short timeouts,
// each timeout must not cost a call to the timer service.
func TestOnlyTimersWithAScheduleAreRemoved(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		wait          time.Duration
		border, least time.Duration
		service       bool
		removed       bool
	}{
		{"T-03 up to the border", 15 * time.Minute, 15 * time.Minute, 2 * time.Minute, true, false},
		{"T-03 above the border", 15*time.Minute + time.Second, 15 * time.Minute, 2 * time.Minute, true, true},
		{"T-03 no border, but too short for a schedule", time.Minute, -1, 2 * time.Minute, true, false},
		{"T-03 no border", 2 * time.Minute, -1, 2 * time.Minute, true, true},
		{"no timer service", time.Hour, -1, 2 * time.Minute, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out := newOutbox(Composer{Settings: &host.DispatchSettings{TimerBorder: test.border, TimerLeast: test.least}})
			out.with.timer = test.service
			created := history.Event{Kind: history.TimerCreated, EventID: 2, AtMS: 1000, FireAtMS: 1000 + test.wait.Milliseconds()}
			out.cancel(&Commit{Turn: turnOf(history.Event{Kind: history.TimerFired, EventID: 3})}, 2, opened(&created), 1)
			if got := len(out.messages) == 1; got != test.removed {
				t.Errorf("removed: %v, want %v", got, test.removed)
			}
		})
	}
}

// T-07, I-08: a process whose clock is far behind that of the timer's creator sends the timer
// again. The events of the timer determine whether it has a schedule, as they do for its removal.
func TestATimerOfTheDelayQueueUsesItByEveryClock(t *testing.T) {
	t.Parallel()
	composer := newComposer(t)
	composer.Settings.TimerBorder = -1
	out := newOutbox(composer)
	ahead := now.Add(4 * time.Minute).UnixMilli()
	e := history.Event{Kind: history.TimerCreated, EventID: 2, AtMS: ahead, FireAtMS: ahead}
	out.timer(&Commit{Turn: turnOf(), Start: &history.Start{}}, &e)
	if p := out.messages; len(p) != 1 || p[0].route != toDelay || p[0].msg.Delay != 4*time.Minute {
		t.Errorf("%+v to be sent; want one message that is delayed for four minutes", p)
	}
}

// A cancel is sent, whatever its reason.
func TestL02AReasonThatIsTooLongForAMessageIsCut(t *testing.T) {
	t.Parallel()
	out := newOutbox(newComposer(t))
	out.Add(Commit{Turn: turnOf(history.Event{Kind: history.SystemCall, Op: history.OpCancelInstance, EventID: 2, Instance: "b", Reason: strings.Repeat("1", 300<<10)}), Start: &history.Start{}})
	if got, want := lines(t, out), []string{"orchestrator CancelInstance b 0"}; out.err != nil || !slices.Equal(got, want) {
		t.Fatalf("sends %q, want %q; %v", got, want, out.err)
	}
	item, err := wire.ParseText(out.messages[0].msg.Body)
	if most := wire.DefaultLimits().Text; err != nil || len(item.Reason) != most || !strings.HasSuffix(item.Reason, "…") {
		t.Errorf("a reason of %d bytes, want %d, the end cut: %v", len(item.Reason), most, err)
	}
}
