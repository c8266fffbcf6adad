package dispatch

import (
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/gating"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// An instance under a limit is suspended from its start until the gate of the limit resumes
// it. A redrive waits in the same way, and what it takes over that is open is sent only
// when its turn has come.

// asks asks the gate of a limit for a place. The start makes sure that the gate is there. If no message
// can hold the question, the instance would wait for ever, and is terminated.
func (out *Outbox) asks(c *Commit, e *history.Event) {
	question := gating.Question{
		Place: gating.Place{Instance: c.Instance, Name: c.Name, ExecutionID: c.ExecutionID, EventID: e.EventID, SinceMS: e.AtMS},
		N:     e.Limit,
	}
	item := wire.Item{V: wire.Version, Kind: wire.StartOrchestration, Instance: gating.InstanceID(e.LimitKey), Name: gating.Orchestration,
		Input: gating.First(e.LimitKey), ID: c.id("gate", e.EventID), OnConflict: wire.ConflictUseExisting, Headers: out.headers(c, nil),
		Events: []wire.StartEvent{{ID: c.id("question", e.EventID), Name: gating.Questions, Data: question.JSON()}}}
	if err := out.Send(&item); err != nil {
		out.unasked(c, e, err)
		return
	}
	out.ifRejected(func(out *Outbox, err error) { out.unasked(c, e, err) })
	out.note("question", e.EventID, item.Instance)
}

// unasked terminates an instance whose question no message can hold.
func (out *Outbox) unasked(c *Commit, e *history.Event, why error) {
	if edge.NotSealed(why) {
		out.failed(why)
		return
	}
	item := wire.Item{V: wire.Version, Kind: wire.TerminateInstance, Instance: c.Instance, ExecutionID: c.ExecutionID, ID: c.id("unasked", e.EventID),
		Reason: fmt.Sprintf("it cannot ask for a permit of the limit %q: %v", e.LimitKey, why)}
	if err := out.Send(&item); err != nil {
		out.failed(fmt.Errorf("question of instance %q execution %d for a permit of the limit %q: %w", c.Instance, c.ExecutionID, e.LimitKey, errors.Join(why, err)))
		return
	}
	out.note("terminate", e.EventID, c.Instance)
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
