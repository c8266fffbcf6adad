package world

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// The forger may read all histories and records and may send to the queues of the
// orchestrator, or has the role of the activities. The forger has no key of the stack.

const (
	ForgedToken  = "00000000000000000000000000000000"
	ForgedResult = `"forged"`
	// ForgedDue is when the forger's timers are due.
	ForgedDue = 1
	// ForgedInstance is the prefix of the ids of the children that the forger makes up.
	ForgedInstance = "forged-"
)

// forge sends a completion of an open operation, with a token that the forger made from
// data that it has read. Or it starts a child for the operation, whose end the parent would
// be notified of.
func (w *World) forge() {
	all := w.Ledger.Instances()
	if len(all) == 0 {
		return
	}
	how := w.How(fault.Forged)
	instance := all[w.Choices.IntN(how, len(all))]
	n := w.Ledger.Last[instance]
	if w.Choices.OneIn(how, 3) {
		w.compromise(instance)
		return
	}
	if w.Choices.OneIn(how, 4) {
		// The item names an event of the wrong kind, or an event that does not exist.
		source := []int64{1, 9999}[w.Choices.IntN(how, 2)]
		w.SendItem(wire.Item{Kind: wire.ActivityCompleted, Instance: instance, ExecutionID: n, SourceEventID: source,
			Token: ForgedToken, Result: []byte(`"misaddressed"`)})
		return
	}
	for _, e := range w.Ledger.Executions[ledger.At(instance, n)].Events {
		switch e.Kind {
		case history.ActivityScheduled, history.TimerCreated, history.SubOrchestrationScheduled:
		default:
			continue
		}
		if w.Choices.Even(how) {
			continue
		}
		token := w.forgeToken(instance, n, e.EventID)
		w.forged[token] = true
		item := wire.Item{Kind: wire.ActivityCompleted, Instance: instance, ExecutionID: n, SourceEventID: e.EventID, Token: token, Result: []byte(ForgedResult)}
		switch e.Kind {
		case history.TimerCreated:
			item.Kind, item.Result, item.FireAtMS = wire.TimerFired, nil, ForgedDue
			if w.Choices.Even(how) {
				item.FireAtMS = e.FireAtMS + 1000*24*3600*1000
			}
		case history.SubOrchestrationScheduled:
			item.Kind, item.Instance, item.ExecutionID, item.ParentInstance, item.ParentExecutionID = wire.SubOrchCompleted, "", 0, instance, n
			if w.Choices.Even(how) {
				item = wire.Item{Kind: wire.StartOrchestration, Instance: fmt.Sprint(ForgedInstance, w.Steps), ID: fmt.Sprint(ForgedInstance, w.Steps),
					Name: e.Name, Input: e.Payload, Parent: &wire.Parent{Instance: instance, ExecutionID: n, EventID: e.EventID, Token: token}}
			}
		}
		w.SendItem(item)
		return
	}
}

// compromise lets an attacker with the role of the activities send messages that activities
// have no reason to send: to the orchestrator, or to the activity queue, whose dead letters
// also go to the orchestrator.
func (w *World) compromise(instance string) {
	how := w.How(fault.Forged)
	id := fmt.Sprint(ForgedInstance, w.Steps)
	item := wire.Item{V: wire.Version, Instance: instance, ID: id, Reason: ForgedInstance}
	switch w.Choices.IntN(how, 6) {
	case 0:
		item.Kind, item.Instance, item.Name, item.Reason = wire.StartOrchestration, id, w.Ledger.Executions[ledger.At(instance, w.Ledger.Last[instance])].Events[0].Name, ""
	case 1:
		item.Kind, item.Name, item.Reason = wire.ExternalRaised, "e0", ""
	case 2:
		item.Kind = wire.CancelInstance
	case 3:
		item.Kind = wire.TerminateInstance
	case 4:
		item.Kind = wire.Wake
	default:
		item.Kind, item.Force, item.Reason = wire.PurgeInstance, true, ""
	}
	if w.Choices.OneIn(w.Choices.At(how, "suspends"), 5) {
		item = wire.Item{V: wire.Version, Kind: wire.SuspendInstance, Instance: instance, ID: id, Reason: ForgedInstance}
	}
	body, err := w.body(&item)
	if err != nil {
		w.Violate("world", "an item can't be encoded: %v", err)
		return
	}
	w.IsOthers(string(body))
	to, out := w.FIFO, queue.Outgoing{Body: string(body), Group: wire.Group(item.Target()), DedupID: wire.DedupID(&item)}
	if w.Choices.OneIn(how, 4) {
		to, out = w.Activity, queue.Outgoing{Body: string(body)}
	}
	w.Log("a compromised activity sends to %s %s", to.Name, BodyText(out.Body))
	if err := to.Queue.SendFrom(context.Background(), activityRole+":compromised", out); err != nil {
		w.Violate("world", "a message was refused: %v", err)
	}
}

// forgeToken returns the best token that the forger can make for an event.
func (w *World) forgeToken(instance string, execution, event int64) string {
	how := w.How(fault.Forged)
	if token := w.readToken(instance, execution, event); token != "" {
		return token
	}
	switch w.Choices.IntN(how, 4) {
	case 0:
		return ForgedToken
	case 1:
		// This token names no key.
		return fmt.Sprintf("%032x", event)
	case 2:
		return w.ownToken("strange", instance, execution, event)
	}
	return w.ownToken(w.currentKey(), instance, execution, event)
}

// ownToken returns a token under the forger's own key.
func (w *World) ownToken(id, instance string, execution, event int64) string {
	r, err := keyring.New(keyring.Config{Keys: &keyring.Memory{}, Current: id, Random: rand.NewChaCha8([32]byte{'f'})})
	if err == nil {
		err = r.Ready(context.Background())
	}
	if err != nil {
		panic(err)
	}
	return r.Token(instance, execution, event, w.recordedAt(instance, execution, event))
}

// recordedAt returns when an event was recorded, 0 if it was not.
func (w *World) recordedAt(instance string, execution, event int64) int64 {
	x := w.Ledger.Executions[ledger.At(instance, execution)]
	if x == nil || event < 1 || event > int64(len(x.Events)) {
		return 0
	}
	return x.Events[event-1].AtMS
}

// readToken returns the token of an event in a history, "" if there is none.
func (w *World) readToken(instance string, execution, event int64) string {
	for _, x := range w.Ledger.Executions {
		for i := range x.Events {
			s := x.Events[i].Start
			if s != nil && s.Parent != nil && s.Parent.Token != "" && s.Parent.Instance == instance && s.Parent.ExecutionID == execution && s.Parent.EventID == event {
				return s.Parent.Token
			}
		}
	}
	return ""
}

// ByForger reports whether the forger sent the item.
func (w *World) ByForger(item *wire.Item) bool {
	return strings.HasPrefix(item.ID, ForgedInstance) || w.forged[item.Token] || item.Parent != nil && w.forged[item.Parent.Token]
}

// ForgedSign is the text of a heartbeat whose token is forged.
const ForgedSign = "made up"
