package orchestrator

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

const (
	roleOfActivities = "AROAACTIVITYROLE1234"
	roleOfAnother    = "AROASERVICEROLE12345"
)

// sentBy returns the first delivery of a message to the orchestrator.
func (w *world) sentBy(sender string, source platform.Source, item wire.Item, attributes map[string]string) (reason wire.Reason) {
	w.Helper()
	w.change(func(c *Config) { c.Senders.ActivityRole = roleOfActivities })
	o := w.process().o
	before := len(w.deadFIFO.Peek()) + len(w.deadStandard.Peek())
	m := queue.Message{ID: "m-" + item.ID, Body: w.body(item), Group: "g", Sender: sender, ReceiveCount: 1, Attributes: attributes}
	o.Handle(deadline{w.Context(), w.clock.Now().Add(w.limit)}, []platform.Delivery{{Message: m, Source: source}})
	var all []queue.Message
	all = append(append(all, w.deadFIFO.Peek()...), w.deadStandard.Peek()...)
	if len(all) == before {
		return ""
	}
	word := all[len(all)-1].Attributes[wire.ReasonAttribute]
	if source == platform.SourceOrchestrator {
		word = w.deadFIFO.Peek()[len(w.deadFIFO.Peek())-1].Attributes[wire.ReasonAttribute]
	}
	for _, r := range wire.Reasons() {
		if strings.HasPrefix(word, string(r)+":") {
			return r
		}
	}
	w.Fatalf("no reason in %q", word)
	return ""
}

// anItem returns an item of a kind, for an instance that does not exist.
func anItem(kind wire.Kind, id string) wire.Item {
	i := wire.Item{Kind: kind, Instance: "nobody", ID: id, Name: "N", ExecutionID: 1, SourceEventID: 2, SchedulingEventID: 2, Token: "t", FireAtMS: 1}
	switch kind {
	case wire.SubOrchCompleted, wire.SubOrchFailed:
		i.Instance, i.ParentInstance, i.ParentExecutionID = "", "nobody", 1
	}
	if kind == wire.ActivityFailed || kind == wire.SubOrchFailed {
		i.Details = &wire.Failure{Message: "m"}
	}
	if kind == wire.InstanceEvent {
		i.Event = []byte(`{}`)
	}
	if !kind.CarriesID() {
		i.ID = ""
	}
	return i
}

func TestMessagesOfTheActivityFunctionAreCheckedBySender(t *testing.T) {
	t.Parallel()
	results := []wire.Kind{wire.ActivityCompleted, wire.ActivityFailed, wire.ActivityPending, wire.ActivityHeartbeat, wire.ActivityExecute}
	signals := []wire.Kind{wire.StartOrchestration, wire.ExternalRaised}
	for _, kind := range wire.Kinds() {
		for _, c := range []struct {
			name    string
			sender  string
			may     bool
			refused bool
		}{
			{"by the activity function", roleOfActivities + ":turnstile-ActivityFunction", false, !slices.Contains(results, kind)},
			{"by the activity function, which may start and raise events", roleOfActivities + ":f", true, !slices.Contains(results, kind) && !slices.Contains(signals, kind)},
			{"by a service", roleOfAnother + ":s", false, false},
			{"by a role that has been replaced", "AROAREPLACED12345678:f", false, false},
			{"by an account, as an emulator says", "000000000000", false, false},
			{"by an unknown sender", "", false, false},
			{"by somebody whose session has the role's name", roleOfAnother + ":" + roleOfActivities, false, false},
		} {
			t.Run(string(kind)+" "+c.name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, func(w *world) {
					w.orchestration("N", func(*engine.Context, []byte) ([]byte, error) { return nil, nil })
				})
				w.change(func(cfg *Config) { cfg.Senders.ActivitiesMaySend = c.may })
				got := w.sentBy(c.sender, platform.SourceOrchestrator, anItem(kind, "i"), nil)
				if (got == wire.ReasonSender) != c.refused {
					t.Errorf("dead letter %q, want refused: %v", got, c.refused)
				}
			})
		}
	}
}

// A refused message stays refused, whoever sends it again. A message that SQS moved to the dead
// letters before it was handled still counts as from its first sender.
func TestARedriveDoesNotReplaceTheFirstSender(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	operator := roleOfAnother + ":operator"
	wake := func(id string) wire.Item { return anItem(wire.Wake, id) }
	if got := w.sentBy(operator, platform.SourceOrchestrator, wake("a"), map[string]string{wire.ReasonAttribute: wire.ReasonSender.Attribute("Wake was sent by the activity function")}); got != wire.ReasonSender {
		t.Errorf("a redrive by SQS, which keeps the reason: %q", got)
	}
	if got := w.sentBy(operator, platform.SourceOrchestrator, wake("b"), map[string]string{wire.SenderAttribute: roleOfActivities + ":f", wire.RedriveAttribute: "dead-letter"}); got != wire.ReasonSender {
		t.Errorf("a redrive that names the first sender: %q", got)
	}
	if got := w.sentBy(roleOfActivities+":f", platform.SourceOrchestrator, wake("c"), map[string]string{wire.SenderAttribute: operator}); got != wire.ReasonSender {
		t.Errorf("the activity function that names somebody else: %q", got)
	}
	// A message that became a dead letter twice without being handled, or that claims a different
	// sender.
	laundered := wire.SentBy(map[string]string{wire.SenderAttribute: operator}, roleOfActivities+":f")
	laundered = wire.SentBy(map[string]string{wire.SenderAttribute: laundered}, operator)
	if got := w.sentBy(operator, platform.SourceOrchestrator, wake("e"), map[string]string{wire.SenderAttribute: laundered}); got != wire.ReasonSender {
		t.Errorf("redriven twice: %q, want %q", got, wire.ReasonSender)
	}
	if got := w.sentBy(operator, platform.SourceOrchestrator, wake("d"), map[string]string{wire.SenderAttribute: operator}); got != "" {
		t.Errorf("an operator's own: %q", got)
	}
}

// The dead letters of the activity queue reach the orchestrator, but do not bypass its checks: it
// accepts only attempts, which need their token, whoever sent them.
func TestOnlyAttemptsAreAcceptedFromTheActivityDeadLetters(t *testing.T) {
	t.Parallel()
	for _, kind := range wire.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			for sender, want := range map[string][]wire.Reason{
				roleOfActivities + ":f": {wire.ReasonSender, wire.ReasonMisaddressed},
				roleOfAnother + ":s":    {wire.ReasonMisaddressed},
			} {
				w := newWorld(t, nil)
				w.change(func(c *Config) { c.Senders.ActivitiesMaySend = true })
				got := w.sentBy(sender, platform.SourceActivityDead, anItem(kind, "i"), nil)
				if kind == wire.ActivityExecute {
					want = []wire.Reason{""} // There is no such instance: the message is settled.
				}
				if !slices.Contains(want, got) {
					t.Errorf("sent by %s: dead letter %q, want one of %q", sender, got, want)
				}
			}
		})
	}
}

// docs/security.md says that this attack is not prevented: somebody who may send to the
// orchestrator queue can predict the deduplication id of a child's start, and SQS drops the real
// start after garbage with the same id. Nothing false is recorded, and a wake of the parent sends
// the start again.
func TestAPredictedDeduplicationIDDelaysAStartUntilAWake(t *testing.T) {
	t.Parallel()
	w := familyWorld(t)
	start := wire.Item{Kind: wire.StartOrchestration, Instance: "child", Name: "Child", ID: dispatch.ChildID("parent", 1, 2)}
	rubbish := queue.Outgoing{Body: "{", Group: wire.Group("child"), DedupID: wire.DedupID(&start)}
	if err := w.fifo.SendFrom(t.Context(), roleOfActivities+":f", rubbish); err != nil {
		t.Fatal(err)
	}
	w.start("parent", "Parent", "1")
	w.runFor(4 * time.Minute)
	w.expectDead(string(wire.ReasonMalformed))
	if status := w.record("child").Status; status != "" {
		t.Fatalf("the child is %q: its start was not swallowed, say so in docs/security.md", status)
	}
	w.expectStatus("parent", store.StatusRunning)
	w.runFor(2 * time.Minute)
	w.send(wire.Item{Kind: wire.Wake, Instance: "parent", ID: "operator"})
	w.runFor(time.Minute)
	w.expectStatus("child", store.StatusRunning)
}
