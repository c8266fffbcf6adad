package dispatch

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/gating"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// An instance under a limit is suspended from its start until the gate of the limit resumes
// it. A redrive waits in the same way, and what it takes over that is open is sent only
// when its turn has come.

// asks asks the gate of a limit for a place. The start makes sure that the gate is there.
func (out *Outbox) asks(c *Commit, e *history.Event) {
	question := gating.Question{
		Place: gating.Place{Instance: c.Instance, Name: c.Name, ExecutionID: c.ExecutionID, EventID: e.EventID, SinceMS: e.AtMS},
		N:     e.Limit,
	}
	item := wire.Item{V: wire.Version, Kind: wire.StartOrchestration, Instance: gating.InstanceID(e.LimitKey), Name: gating.Orchestration,
		Input: gating.First(e.LimitKey), ID: c.id("gate", e.EventID), OnConflict: wire.ConflictUseExisting, Headers: out.headers(c, nil),
		Events: []wire.StartEvent{{ID: c.id("question", e.EventID), Name: gating.Questions, Data: question.JSON()}}}
	err := out.later(&item, c, e)
	if err != nil {
		out.failed(fmt.Errorf("question of instance %q execution %d for a place under the limit %q: %w", c.Instance, c.ExecutionID, e.LimitKey, err))
		return
	}
	out.note("question", e.EventID, item.Instance)
}

// later sends an item of an event at once, or when that event is due.
func (out *Outbox) later(item *wire.Item, c *Commit, e *history.Event) error {
	due := time.UnixMilli(e.FireAtMS)
	if !due.After(out.Now) {
		return out.Send(item)
	}
	item.SentMS = e.FireAtMS
	body, err := out.encode(item)
	if err == nil {
		out.timed(timer.Schedule{Name: timer.Name(c.Instance, c.ExecutionID, e.EventID), Due: due, Body: body, Group: wire.Group(item.Instance)}, opened(e).Wait)
	}
	return err
}

// letGo sends what was held back until the turn of the instance.
func (out *Outbox) letGo(c *Commit, resumed *history.Event, cancelled map[int64]bool) {
	taken := takenOver(&store.Turn{Instance: c.Instance, ExecutionID: c.ExecutionID, Events: c.Held})
	timers := inTime(c.Held)
	for i := range c.Held {
		e := timers.instead(&c.Held[i])
		if taken.open[e.EventID] && !cancelled[e.EventID] && !c.HeldDone[e.EventID] {
			out.place.at = position{c.ExecutionID, resumed.EventID, 1 + i}
			out.takenOver(c, e, resumed.AtMS)
		}
	}
}
