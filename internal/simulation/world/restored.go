package world

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// In a run with the bias restores the tables have been restored to an earlier time: between that
// time and now there was another history, which is lost. Its messages arrive: results of its
// attempts, completion tokens that it gave out, its timers. They have tokens of the stack's keys for
// the events of the lost history, whose ids now belong to other events, or to none.

// lostComes delivers something that a lost history has sent.
func (w *World) lostComes() {
	all := w.Ledger.Instances()
	if len(all) == 0 {
		return
	}
	how := w.How(fault.Restored)
	instance := all[w.Choices.IntN(how, len(all))]
	n := w.Ledger.Last[instance]
	x := w.Ledger.Executions[ledger.At(instance, n)]
	if x == nil || len(x.Events) == 0 {
		return
	}
	if w.Choices.OneIn(w.Choices.At(how, "execution"), 8) {
		n, x = n+1, &ledger.Recorded{} // The lost instance had continued as new, or was redriven.
	}
	// The next events are likely to be recorded while the item waits in a queue.
	id := int64(2 + w.Choices.IntN(w.Choices.At(how, "event"), len(x.Events)+3))
	kind := []history.Kind{history.ActivityScheduled, history.TimerCreated, history.SubOrchestrationScheduled, history.OrchestrationSuspended}[w.Choices.IntN(w.Choices.At(how, "kind"), 4)]
	atMS := w.Clock.Now().Add(-time.Hour).UnixMilli() // No clock is wrong by that much.
	if id <= int64(len(x.Events)) {
		e := x.Events[id-1]
		atMS = e.AtMS - 1 - int64(w.Choices.IntN(w.Choices.At(how, "time"), 100_000))
		if e.Kind.Scheduling() && !e.Inline || e.Kind == history.OrchestrationSuspended {
			kind = e.Kind
		}
	}
	item := wire.Item{V: wire.Version, Instance: instance, ExecutionID: n, SourceEventID: id}
	if item.Token = w.trueToken(instance, n, id, atMS); item.Token == "" {
		return // No process has started.
	}
	w.forged[item.Token], w.lost[item.Token] = true, true
	switch kind {
	case history.ActivityScheduled:
		switch w.Choices.IntN(w.Choices.At(how, "completion"), 4) {
		case 0:
			item.Kind, item.Data = wire.ActivityHeartbeat, []byte(`"`+ForgedSign+`"`)
			item.ID = fmt.Sprint(ForgedInstance, w.Steps)
		case 1:
			item.Kind, item.Details = wire.ActivityFailed, &wire.Failure{Kind: history.FailureApplication, Message: ForgedInstance + "lost"}
		case 2:
			item.Kind, item.Attempt, item.NotBeforeMS = wire.ActivityPending, 1, w.Clock.Now().UnixMilli()
		default:
			item.Kind, item.Result = wire.ActivityCompleted, []byte(ForgedResult)
		}
	case history.TimerCreated:
		w.lostTimer(item, atMS)
		return
	case history.SubOrchestrationScheduled:
		item.Kind, item.Result = wire.SubOrchCompleted, []byte(ForgedResult)
		item.ParentInstance, item.ParentExecutionID, item.Instance, item.ExecutionID = instance, n, "", 0
	case history.OrchestrationSuspended:
		item.Kind, item.ID = wire.ResumeInstance, fmt.Sprint(ForgedInstance, w.Steps)
		item.SchedulingEventID, item.ScheduledAtMS, item.SourceEventID, item.Token = id, atMS, 0, ""
	default:
		return
	}
	w.SendItem(item)
}

// lostTimer creates the schedule of a lost timer, as the lost history had, or fires it early.
func (w *World) lostTimer(item wire.Item, atMS int64) {
	how := w.Choices.At(w.How(fault.Restored), "timer")
	if w.Choices.OneIn(how, 4) {
		item.Kind, item.ScheduledAtMS, item.Token, item.ID = wire.FireTimer, atMS, "", fmt.Sprint(ForgedInstance, w.Steps)
		w.SendItem(item)
		return
	}
	due := w.Clock.Now().Add(time.Duration(1+w.Choices.IntN(how, 3*3600)) * time.Second)
	item.Kind, item.FireAtMS = wire.TimerFired, ForgedDue
	body, err := w.body(&item)
	if err == nil {
		w.Log("the schedule of a lost timer is there: %s", BodyText(string(body)))
		err = w.Timer.Schedule(context.Background(), timer.Schedule{Name: timer.Name(item.Instance, item.ExecutionID, item.SourceEventID, atMS), Due: due, Body: string(body), Group: wire.Group(item.Instance)})
	}
	if err != nil {
		w.Violate("world", "the schedule of a lost timer was refused: %v", err)
	}
}

// trueToken returns a token under the current key of the stack; empty while there is none.
func (w *World) trueToken(instance string, execution, event, atMS int64) string {
	id := w.currentKey()
	if key, err := w.keys.Key(context.Background(), id); err != nil || key == nil {
		return ""
	}
	r, err := keyring.New(keyring.Config{Keys: &w.keys, Current: id})
	if err == nil {
		err = r.Ready(context.Background())
	}
	if err != nil {
		panic(err)
	}
	return r.Token(instance, execution, event, atMS)
}

// OfLostHistory reports whether a lost history has sent an item, as its token proves.
func (w *World) OfLostHistory(item *wire.Item) bool { return w.lost[item.Token] }
